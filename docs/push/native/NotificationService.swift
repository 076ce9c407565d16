// Notification Service Extension: decrypts a push before it is shown. Runs for every alert with `mutable-content`, also
// for a wake; about 30 s and 24 MB. The original text stands if anything fails, so it is generic and harmless.
import UserNotifications

final class NotificationService: UNNotificationServiceExtension {
    private var deliver: ((UNNotificationContent) -> Void)?
    private var original: UNNotificationContent?

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        deliver = contentHandler
        original = request.content
        guard let content = request.content.mutableCopy() as? UNMutableNotificationContent,
              let d = request.content.userInfo["d"] as? [String: Any],
              let opened = CountersignPush.open(d, pairings: PairingStore.pairings())
        else { return finish(request.content) }

        content.title = opened.title
        content.body = opened.body
        if let badge = opened.badge { content.badge = NSNumber(value: badge) }
        // A duplicate, or older than what was shown: said quietly, without buttons, never as if it were news.
        let isNews = opened.requestId.map { PairingStore.isNewer($0, of: opened.pairing, counter: opened.counter) }
        if opened.ended || isNews == false {
            content.sound = nil
            content.categoryIdentifier = ""
        }
        if let requestId = opened.requestId {
            content.threadIdentifier = opened.pairing.deviceEd25519
            content.userInfo["request_id"] = requestId
        }
        finish(content)
    }

    override func serviceExtensionTimeWillExpire() {
        if let original = original { finish(original) }
    }

    private func finish(_ content: UNNotificationContent) {
        deliver?(content)
        deliver = nil
    }
}

/// What app and extension share: pairings in a keychain access group, the last counter shown of each item in an app group.
enum PairingStore {
    private static let accessGroup = "TEAMID.app.example.countersign"
    private static let appGroup = "group.app.example.countersign"
    private static let maxRemembered = 500

    /// Kept with `kSecAttrAccessibleAfterFirstUnlock`: before the first unlock there are none, and the generic text stands.
    static func pairings() -> [Pairing] {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: "countersign.pairings",
            kSecAttrAccessGroup: accessGroup,
            kSecReturnData: true,
        ]
        var item: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess, let data = item as? Data
        else { return [] }
        return (try? JSONDecoder().decode([Pairing].self, from: data)) ?? []
    }

    /// False when this counter is not above the last one kept for the item; else keeps it.
    static func isNewer(_ requestId: String, of pairing: Pairing, counter: UInt64) -> Bool {
        let defaults = UserDefaults(suiteName: appGroup)
        let name = "\(pairing.deviceEd25519)/\(requestId)"
        var shown = defaults?.dictionary(forKey: "shown") as? [String: String] ?? [:]
        if let last = shown[name].flatMap(UInt64.init), last >= counter { return false }
        shown[name] = String(counter)
        while shown.count > maxRemembered {
            let oldest = shown.min { (UInt64($0.value) ?? 0) < (UInt64($1.value) ?? 0) }
            oldest.map { _ = shown.removeValue(forKey: $0.key) }
        }
        defaults?.set(shown, forKey: "shown")
        return true
    }
}
