// The few Android classes that CountersignMessagingService.kt names, so that a compiler without Android's SDK can check its
// types. Nothing of it runs.
@file:Suppress("UNUSED_PARAMETER", "unused")

package android.content

open class Context {
    fun getSystemService(name: String): Any = throw UnsupportedOperationException(name)

    companion object {
        const val NOTIFICATION_SERVICE = "notification"
    }
}

class Intent(context: Context, target: Class<*>) {
    var flags = 0
    fun putExtra(name: String, value: String?): Intent = this

    companion object {
        const val FLAG_ACTIVITY_SINGLE_TOP = 1
    }
}
