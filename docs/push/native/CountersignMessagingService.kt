// FirebaseMessagingService of an app whose pairings are kept by PairingStore (yours). Data messages only: the app shows the
// notification, Google sees ciphertext. Needs com.google.firebase:firebase-messaging and androidx.core.
package countersign.push

import android.app.NotificationManager
import android.app.PendingIntent
import android.content.Context
import android.content.Intent
import androidx.core.app.NotificationCompat
import com.google.firebase.messaging.FirebaseMessagingService
import com.google.firebase.messaging.RemoteMessage

/** What the app keeps: pairings under a key of the Android Keystore, and the last counter shown of each item. */
interface PairingStore {
    fun pairings(): List<Pairing>
    /** False when this counter is not above the last one kept for the item; else keeps it. One step. */
    fun isNewer(pairing: Pairing, requestId: String, counter: Long): Boolean
    /** For the next login of each pairing, where it goes as `device_token`. */
    fun keepToken(token: String)
    /** Log in now: pushes were lost, or the token is new. */
    fun syncSoon()
}

/** What only the app knows; set in `Application.onCreate`. */
object CountersignApp {
    lateinit var pairingStore: PairingStore
    /** Opened by a tap, with `request_id` among its extras. */
    lateinit var activity: Class<*>
    /** White on transparent. */
    var icon = 0
}

class CountersignMessagingService : FirebaseMessagingService() {
    private val store: PairingStore get() = CountersignApp.pairingStore

    /** A high-priority message must show something, or Android slows the next ones down. */
    override fun onMessageReceived(message: RemoteMessage) {
        val opened = CountersignPush.open(message.data, store.pairings())
        if (opened == null) {
            show("countersign", "Countersign", CountersignPush.GENERIC_BODY, null, quiet = false)
            return
        }
        val requestId = opened.requestId
        val tag = "${opened.pairing.deviceEd25519}/${requestId ?: opened.counter}"
        // A duplicate, or older than what stands there: never old text in the place of newer.
        if (requestId != null && !store.isNewer(opened.pairing, requestId, opened.counter)) return
        show(tag, opened.title, opened.body, requestId, quiet = opened.ended)
    }

    override fun onNewToken(token: String) {
        store.keepToken(token)
        store.syncSoon()
    }

    /** Google drops everything above 100 waiting messages. */
    override fun onDeletedMessages() {
        store.syncSoon()
        show("countersign", "Countersign", CountersignPush.GENERIC_BODY, null, quiet = false)
    }

    private fun show(tag: String, title: String, body: String, requestId: String?, quiet: Boolean) {
        val open = Intent(this, CountersignApp.activity).apply {
            flags = Intent.FLAG_ACTIVITY_SINGLE_TOP
            putExtra("request_id", requestId)
        }
        val flags = PendingIntent.FLAG_IMMUTABLE or PendingIntent.FLAG_UPDATE_CURRENT
        val notification = NotificationCompat.Builder(this, CHANNEL)
            .setSmallIcon(CountersignApp.icon)
            .setContentTitle(title)
            .setContentText(body)
            .setStyle(NotificationCompat.BigTextStyle().bigText(body))
            .setVisibility(NotificationCompat.VISIBILITY_PRIVATE)
            .setOnlyAlertOnce(quiet)
            .setSilent(quiet)
            .setAutoCancel(true)
            .setContentIntent(PendingIntent.getActivity(this, tag.hashCode(), open, flags))
            .build()
        val manager = getSystemService(Context.NOTIFICATION_SERVICE) as NotificationManager
        manager.notify(tag, 0, notification)
    }

    private companion object {
        const val CHANNEL = "approvals"
    }
}
