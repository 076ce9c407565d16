@file:Suppress("UNUSED_PARAMETER", "unused")

package com.google.firebase.messaging

import android.content.Context

class RemoteMessage {
    val data: Map<String, String> = emptyMap()
}

open class FirebaseMessagingService : Context() {
    open fun onMessageReceived(message: RemoteMessage) {}
    open fun onNewToken(token: String) {}
    open fun onDeletedMessages() {}
}
