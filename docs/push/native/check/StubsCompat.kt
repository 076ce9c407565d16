@file:Suppress("UNUSED_PARAMETER", "unused")

package androidx.core.app

import android.app.Notification
import android.app.PendingIntent
import android.content.Context

object NotificationCompat {
    const val VISIBILITY_PRIVATE = 0

    open class Style

    class BigTextStyle : Style() {
        fun bigText(text: CharSequence): BigTextStyle = this
    }

    class Builder(context: Context, channel: String) {
        fun setSmallIcon(icon: Int): Builder = this
        fun setContentTitle(text: CharSequence): Builder = this
        fun setContentText(text: CharSequence): Builder = this
        fun setStyle(style: Style): Builder = this
        fun setVisibility(visibility: Int): Builder = this
        fun setOnlyAlertOnce(once: Boolean): Builder = this
        fun setSilent(silent: Boolean): Builder = this
        fun setAutoCancel(cancel: Boolean): Builder = this
        fun setContentIntent(intent: PendingIntent): Builder = this
        fun build(): Notification = Notification()
    }
}
