// What a push carries, opened with a pairing's key: no network, no Android class but org.json (which Android has).
// Everything that comes in is hostile; every failure is the same null. Kotlin 1.3 and later, Java 11 and later.
package countersign.push

import java.security.KeyFactory
import java.security.spec.PKCS8EncodedKeySpec
import java.security.spec.X509EncodedKeySpec
import java.util.Base64
import java.util.zip.Inflater
import javax.crypto.Cipher
import javax.crypto.KeyAgreement
import javax.crypto.Mac
import javax.crypto.spec.GCMParameterSpec
import javax.crypto.spec.SecretKeySpec
import org.json.JSONArray
import org.json.JSONObject

/** One agent of this device, as kept since it was paired. Hex in lower case; `key` is the AES key of [CountersignKeys]. */
class Pairing(
    val namespaceId: String,
    val agentEd25519: String,
    val deviceEd25519: String,
    val key: ByteArray,
    val agentName: String,
    /** `push_handle` of the newest login, 32 hex characters. */
    val handle: String? = null
)

/** What to show. `requestId` names the item for the notification's tag; `ended`: it takes the place of the first one. */
class OpenedPush(
    val pairing: Pairing,
    val title: String,
    val body: String,
    val requestId: String?,
    val ended: Boolean,
    /** Counter of the message: one that is not above the last shown of its item is a duplicate or stale. */
    val counter: Long,
    val badge: Int?
)

object CountersignPush {
    private const val MAX_BASE64 = 8192
    private const val MAX_PLAINTEXT = 65536
    private const val MAX_SUMMARY_CODE_POINTS = 120
    private const val FROM_AGENT = "00000001"
    const val GENERIC_BODY = "Action required. Open the app."

    /**
     * `data` as FCM hands it over, or `d` of an APNs payload: `{ns, f | from, n, c}` or `{h, n, c}`. Null for a wake and
     * for whatever is no authentic message to this device; which of them, nobody is told: show something general.
     */
    fun open(data: Map<String, String>, pairings: List<Pairing>): OpenedPush? =
        try {
            openSealed(data, pairings)
        } catch (failure: Exception) {
            null
        }

    private fun openSealed(data: Map<String, String>, pairings: List<Pairing>): OpenedPush? {
        val nonce = unhex(data["n"] ?: return null, 12)
        val base64 = data["c"] ?: return null
        if (base64.length > MAX_BASE64 || hex(nonce.copyOf(4)) != FROM_AGENT) return null
        val sealed = Base64.getDecoder().decode(base64)
        for (pairing in candidates(data, pairings)) {
            val plain = openWith(pairing, nonce, sealed) ?: continue
            return read(pairing, counterOf(nonce), unframe(plain) ?: return null)
        }
        return null
    }

    /** A handle that is not known may be newer than what was kept of it: the keys decide, and there are few. */
    private fun candidates(data: Map<String, String>, pairings: List<Pairing>): List<Pairing> {
        val handle = data["h"]?.let { lower(it) }
        if (handle != null) return pairings.sortedBy { if (it.handle == handle) 0 else 1 }
        val namespaceId = data["ns"]?.let { lower(it) }
        val agent = (data["f"] ?: data["from"])?.let { lower(it) }
        return pairings.filter { it.namespaceId == namespaceId && it.agentEd25519 == agent }
    }

    private fun openWith(pairing: Pairing, nonce: ByteArray, sealed: ByteArray): ByteArray? =
        try {
            val cipher = Cipher.getInstance("AES/GCM/NoPadding")
            cipher.init(Cipher.DECRYPT_MODE, SecretKeySpec(pairing.key, "AES"), GCMParameterSpec(128, nonce))
            val ids = listOf(pairing.namespaceId, pairing.agentEd25519, pairing.deviceEd25519)
            for (id in ids) cipher.updateAAD(unhex(id, 32))
            cipher.doFinal(sealed)
        } catch (failure: java.security.GeneralSecurityException) {
            null
        }

    /** Version 1; uncompressed, or zlib as older agents write it. */
    private fun unframe(plain: ByteArray): String? {
        if (plain.size < 2 || plain[0] != 1.toByte()) return null
        val body = plain.copyOfRange(2, plain.size)
        val text = when (plain[1].toInt()) {
            0 -> body
            1 -> inflate(body, false) ?: inflate(body, true) ?: return null
            else -> return null
        }
        return String(text, Charsets.UTF_8)
    }

    private fun inflate(body: ByteArray, raw: Boolean): ByteArray? {
        val inflater = Inflater(raw)
        try {
            inflater.setInput(body)
            val out = ByteArray(MAX_PLAINTEXT)
            var size = 0
            while (!inflater.finished()) {
                val more = inflater.inflate(out, size, out.size - size)
                if (more == 0) return null
                size += more
            }
            return out.copyOf(size)
        } catch (failure: java.util.zip.DataFormatException) {
            return null
        } finally {
            inflater.end()
        }
    }

    private fun read(pairing: Pairing, counter: Long, text: String): OpenedPush? {
        val payload = JSONObject(text)
        if (payload.optInt("v") != 1) return null
        return when (payload.optString("kind")) {
            "notification" -> notification(pairing, counter, payload)
            // An older agent queues its whole list; the app fetches it, here only the newest is told.
            "inbox_update" -> newest(pairing, counter, payload)
            else -> OpenedPush(pairing, pairing.agentName, GENERIC_BODY, null, false, counter, null)
        }
    }

    private fun notification(pairing: Pairing, counter: Long, payload: JSONObject): OpenedPush {
        val replaces = textIn(payload, "replaces")
        return OpenedPush(
            pairing,
            oneLine(textIn(payload, "title") ?: pairing.agentName),
            oneLine(textIn(payload, "body") ?: GENERIC_BODY),
            replaces ?: textIn(payload, "request_id"),
            replaces != null,
            counter,
            if (payload.has("badge")) payload.optInt("badge") else null
        )
    }

    private fun newest(pairing: Pairing, counter: Long, payload: JSONObject): OpenedPush {
        val lists = mapOf("approvals" to "summary", "clarifications" to "question", "elicitations" to "message")
        val items = lists.flatMap { (list, member) ->
            objectsIn(payload.optJSONArray(list)).map { Triple(it.optDouble("created_at", 0.0), it, member) }
        }
        val last = items.sortedBy { it.first }.lastOrNull()
        val body = last?.let { textIn(it.second, it.third) } ?: GENERIC_BODY
        val requestId = last?.let { textIn(it.second, "request_id") }
        return OpenedPush(pairing, pairing.agentName, oneLine(body), requestId, false, counter, items.size)
    }

    private fun objectsIn(array: JSONArray?): List<JSONObject> =
        if (array == null) emptyList() else (0 until array.length()).mapNotNull { array.optJSONObject(it) }

    private fun textIn(source: JSONObject, name: String): String? =
        (source.opt(name) as? String)?.takeIf { it.isNotEmpty() }

    /** What cannot be seen is written out, so that nothing pretends to be something else; cut to a summary's length. */
    private fun oneLine(text: String): String {
        val out = StringBuilder()
        var points = 0
        var at = 0
        while (at < text.length) {
            if (points == MAX_SUMMARY_CODE_POINTS) return out.append('…').toString()
            val point = text.codePointAt(at)
            at += Character.charCount(point)
            points += 1
            if (isVisible(point)) out.appendCodePoint(point)
            else out.append("⟨U+").append(String.format("%04X", point)).append('⟩')
        }
        return out.toString()
    }

    private fun isVisible(point: Int): Boolean =
        when (Character.getType(point).toByte()) {
            Character.CONTROL, Character.SURROGATE, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false
            // Joins emoji; a bidi control or another invisible is a format character too.
            Character.FORMAT -> point == 0x200D
            else -> true
        }

    private fun counterOf(nonce: ByteArray): Long {
        var counter = 0L
        for (byte in nonce.copyOfRange(4, 12)) counter = (counter shl 8) or (byte.toLong() and 0xff)
        return counter
    }
}

/** How the key of a pairing comes about; done once, when the device pairs. */
object CountersignKeys {
    private val PKCS8_X25519 = unhex("302e020100300506032b656e04220420", 16)
    private val X509_X25519 = unhex("302a300506032b656e032100", 12)

    /** From the device's 32-byte seed and the agent's X25519 key of the pairing link. */
    fun sessionKey(seed: ByteArray, agentX25519: ByteArray): ByteArray {
        val secret = hkdf(seed, "skald-kdf-v1", "x25519")
        val keys = KeyFactory.getInstance("X25519")
        val agreement = KeyAgreement.getInstance("X25519")
        agreement.init(keys.generatePrivate(PKCS8EncodedKeySpec(PKCS8_X25519 + secret)))
        agreement.doPhase(keys.generatePublic(X509EncodedKeySpec(X509_X25519 + agentX25519)), true)
        val shared = agreement.generateSecret()
        require(shared.any { it != 0.toByte() }) { "a key nobody can agree on" }
        return hkdf(shared, "skald-session-v1", "aes-256-gcm")
    }

    /** HKDF-SHA256 (RFC 5869), 32 bytes: one block. */
    private fun hkdf(ikm: ByteArray, salt: String, info: String): ByteArray {
        val prk = hmac(salt.toByteArray(), ikm)
        return hmac(prk, info.toByteArray() + byteArrayOf(1))
    }

    private fun hmac(key: ByteArray, message: ByteArray): ByteArray {
        val mac = Mac.getInstance("HmacSHA256")
        mac.init(SecretKeySpec(key, "HmacSHA256"))
        return mac.doFinal(message)
    }
}

internal fun hex(bytes: ByteArray): String = bytes.joinToString("") { String.format("%02x", it) }

/** Of hex; the same in every locale and version of Kotlin. */
private fun lower(text: String): String =
    String(CharArray(text.length) { if (text[it] in 'A'..'F') text[it] + 32 else text[it] })

internal fun unhex(text: String, size: Int): ByteArray {
    require(text.length == 2 * size && text.all { Character.digit(it, 16) >= 0 }) { "not hex of that length" }
    return ByteArray(size) { text.substring(2 * it, 2 * it + 2).toInt(16).toByte() }
}
