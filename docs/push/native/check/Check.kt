// Checks CountersignPush.kt against the published vectors: `check.mjs` compiles and runs it. First argument: relay-v2.json.
package countersign.push

import java.io.File
import java.util.Base64
import javax.crypto.Cipher
import javax.crypto.spec.GCMParameterSpec
import javax.crypto.spec.SecretKeySpec
import kotlin.system.exitProcess
import org.json.JSONObject

private var failures = 0

private fun check(what: String, holds: Boolean) {
    println((if (holds) "ok      " else "FAILED  ") + what)
    if (!holds) failures += 1
}

fun main(args: Array<String>) {
    val vectors = JSONObject(File(args[0]).readText())
    val inputs = vectors.getJSONObject("inputs")
    val outputs = vectors.getJSONObject("outputs")
    fun out(name: String): String = outputs.getString(name)

    val seed = unhex(inputs.getString("seed_client"), 32)
    val key = CountersignKeys.sessionKey(seed, unhex(out("V2_agent_x25519_pub"), 32))
    check("V11: the key of the pairing", hex(key) == out("V11_aes_key"))

    val ids = Triple(out("V9_namespace_id"), out("V4_agent_ed25519_pub"), out("V8_client_ed25519_pub"))
    val pairing = Pairing(ids.first, ids.second, ids.third, key, "Agent", "0b".repeat(16))
    val other = Pairing(ids.first, ids.second, ids.third, ByteArray(32), "Other")
    val known = listOf(other, pairing)
    val push = mapOf("ns" to ids.first, "f" to ids.second, "n" to out("V12_nonce_a2c"), "c" to out("V14_sealed_a2c_base64"))
    val summary = JSONObject(inputs.getString("plaintext_a2c")).getJSONArray("approvals").getJSONObject(0).getString("summary")
    fun opens(data: Map<String, String>): Boolean = CountersignPush.open(data, known)?.body == summary

    check("V14: an older agent's list shows its newest item", opens(push))
    check("with `from` instead of `f`, and capital hex", opens(push - "f" + ("from" to ids.second.toUpperCase())))
    check("under its handle, and under one not known yet", listOf("0b", "0c").all { opens(push - "ns" - "f" + ("h" to it.repeat(16))) })
    check("a wake is nothing", CountersignPush.open(mapOf("ns" to ids.first, "wake" to "true"), known) == null)
    check("another direction, V17, is nothing", CountersignPush.open(push + ("n" to out("V15_nonce_c2a")) + ("c" to out("V17_sealed_c2a_base64")), known) == null)
    check("another agent is nothing", CountersignPush.open(push + ("f" to "ab".repeat(32)), known) == null)
    val bad = listOf("", "A", "%", push.getValue("c").reversed(), "A".repeat(9000), push.getValue("c").drop(4))
    check("altered content is nothing", bad.all { CountersignPush.open(push + ("c" to it), known) == null })
    check("a short nonce is nothing", CountersignPush.open(push + ("n" to "00"), known) == null)

    fun sealed(counter: Int, json: String): Map<String, String> {
        val nonce = unhex("00000001" + String.format("%016x", counter), 12)
        val cipher = Cipher.getInstance("AES/GCM/NoPadding")
        cipher.init(Cipher.ENCRYPT_MODE, SecretKeySpec(key, "AES"), GCMParameterSpec(128, nonce))
        cipher.updateAAD(unhex(out("V13_aad_a2c"), 96))
        val framed = byteArrayOf(1, 0) + json.toByteArray().let { it + ByteArray(510 - it.size) { 32 } }
        return push + ("n" to hex(nonce)) + ("c" to Base64.getEncoder().encodeToString(cipher.doFinal(framed)))
    }
    val note = CountersignPush.open(sealed(7, """{"v":1,"kind":"notification","title":"Robot","body":"a\u202eb","request_id":"appr_1","badge":3}"""), known)
    check("a notification shows title and body, what is hidden in them too", note?.title == "Robot" && note.body == "a⟨U+202E⟩b")
    check("with item, badge and counter", note?.requestId == "appr_1" && note.badge == 3 && note.counter == 7L && !note.ended)
    val end = CountersignPush.open(sealed(8, """{"v":1,"kind":"notification","title":"Robot","body":"expired","replaces":"appr_1"}"""), known)
    check("a replacement names the first one's item", end?.requestId == "appr_1" && end.ended)
    val kind = CountersignPush.open(sealed(9, """{"v":1,"kind":"ack"}"""), known)
    check("another kind says only that something is there", kind?.body == CountersignPush.GENERIC_BODY)
    check("what is no JSON, or of another version, is nothing", listOf("{", "{\"v\":2}").all { CountersignPush.open(sealed(10, it), known) == null })
    exitProcess(if (failures == 0) 0 else 1)
}
