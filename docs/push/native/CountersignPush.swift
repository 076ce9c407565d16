// What a push carries, opened with a pairing's key: no network. Everything that comes in is hostile; every failure is the
// same nil. iOS 14 and later (CryptoKit's HKDF).
import CryptoKit
import Foundation

/// One agent of this device, as kept since it was paired. Hex in lower case.
struct Pairing: Codable {
    let namespaceId: String
    let agentEd25519: String
    let deviceEd25519: String
    /// Of `CountersignKeys.sessionKey`, 32 bytes.
    let key: Data
    let agentName: String
    /// `push_handle` of the newest login, 32 hex characters.
    var handle: String?
}

/// What to show. `ended`: it takes the place of the first notification about `requestId`.
struct OpenedPush {
    let pairing: Pairing
    let title: String
    let body: String
    let requestId: String?
    let ended: Bool
    /// One that is not above the last shown of its item is a duplicate or stale.
    let counter: UInt64
    let badge: Int?
}

enum CountersignPush {
    static let genericBody = "Action required. Open the app."
    private static let maxBase64 = 8_192
    private static let maxPlaintext = 65_536
    private static let maxSummaryScalars = 120
    private static let fromAgent: [UInt8] = [0, 0, 0, 1]

    /// `d` of an APNs payload: `{ns, from, n, c}` or `{h, n, c}`. Nil for a wake and for whatever is no authentic message
    /// to this device; which of them, nobody is told.
    static func open(_ d: [String: Any], pairings: [Pairing]) -> OpenedPush? {
        guard let nonce = bytes(ofHex: d["n"], count: 12), Array(nonce.prefix(4)) == fromAgent,
              let base64 = d["c"] as? String, base64.utf8.count <= maxBase64,
              let sealed = Data(base64Encoded: base64), sealed.count >= 16
        else { return nil }
        for pairing in candidates(d, pairings) {
            guard let plain = open(sealed, nonce: nonce, with: pairing) else { continue }
            guard let payload = unframe(plain) else { return nil }
            return read(payload, counter: counter(in: nonce), of: pairing)
        }
        return nil
    }

    /// A handle that is not known may be newer than what was kept of it: the keys decide, and there are few.
    private static func candidates(_ d: [String: Any], _ pairings: [Pairing]) -> [Pairing] {
        if let handle = (d["h"] as? String)?.lowercased() {
            return pairings.filter { $0.handle == handle } + pairings.filter { $0.handle != handle }
        }
        let namespaceId = (d["ns"] as? String)?.lowercased()
        let agent = ((d["from"] ?? d["f"]) as? String)?.lowercased()
        return pairings.filter { $0.namespaceId == namespaceId && $0.agentEd25519 == agent }
    }

    private static func open(_ sealed: Data, nonce: Data, with pairing: Pairing) -> Data? {
        let ids = [pairing.namespaceId, pairing.agentEd25519, pairing.deviceEd25519]
        let parts = ids.compactMap { bytes(ofHex: $0, count: 32) }
        guard parts.count == ids.count, pairing.key.count == 32,
              let gcmNonce = try? AES.GCM.Nonce(data: nonce),
              let box = try? AES.GCM.SealedBox(
                  nonce: gcmNonce, ciphertext: sealed.dropLast(16), tag: sealed.suffix(16))
        else { return nil }
        let additional = parts.reduce(Data(), +)
        return try? AES.GCM.open(box, using: SymmetricKey(data: pairing.key), authenticating: additional)
    }

    /// Version 1; uncompressed, or zlib as older agents write it.
    private static func unframe(_ plain: Data) -> [String: Any]? {
        let framed = Array(plain)
        guard framed.count > 2, framed[0] == 1 else { return nil }
        var body = Data(framed[2...])
        if framed[1] == 1 {
            // Apple's ".zlib" is raw DEFLATE: without the two bytes of RFC 1950.
            let inflated = [body.dropFirst(2), body].lazy.compactMap {
                try? (Data($0) as NSData).decompressed(using: .zlib) as Data
            }.first
            guard let whole = inflated, whole.count <= maxPlaintext else { return nil }
            body = whole
        } else if framed[1] != 0 {
            return nil
        }
        return (try? JSONSerialization.jsonObject(with: body)) as? [String: Any]
    }

    private static func read(_ payload: [String: Any], counter: UInt64, of pairing: Pairing) -> OpenedPush? {
        guard payload["v"] as? Int == 1, let kind = payload["kind"] as? String else { return nil }
        switch kind {
        case "notification": return notification(payload, counter, pairing)
        // An older agent queues its whole list; the app fetches it, here only the newest is told.
        case "inbox_update": return newest(payload, counter, pairing)
        default:
            return OpenedPush(pairing: pairing, title: pairing.agentName, body: genericBody, requestId: nil,
                              ended: false, counter: counter, badge: nil)
        }
    }

    private static func notification(_ payload: [String: Any], _ counter: UInt64, _ pairing: Pairing) -> OpenedPush {
        let replaces = text(payload["replaces"])
        return OpenedPush(
            pairing: pairing,
            title: oneLine(text(payload["title"]) ?? pairing.agentName),
            body: oneLine(text(payload["body"]) ?? genericBody),
            requestId: replaces ?? text(payload["request_id"]),
            ended: replaces != nil,
            counter: counter,
            badge: payload["badge"] as? Int)
    }

    private static func newest(_ payload: [String: Any], _ counter: UInt64, _ pairing: Pairing) -> OpenedPush {
        let lists = [("approvals", "summary"), ("clarifications", "question"), ("elicitations", "message")]
        let items = lists.flatMap { list, member in
            (payload[list] as? [Any] ?? []).compactMap { $0 as? [String: Any] }.map { ($0, member) }
        }
        let last = items.max { ($0.0["created_at"] as? Double ?? 0) < ($1.0["created_at"] as? Double ?? 0) }
        return OpenedPush(
            pairing: pairing,
            title: pairing.agentName,
            body: oneLine(last.flatMap { text($0.0[$0.1]) } ?? genericBody),
            requestId: last.flatMap { text($0.0["request_id"]) },
            ended: false,
            counter: counter,
            badge: items.count)
    }

    private static func text(_ value: Any?) -> String? {
        (value as? String).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What cannot be seen is written out, so that nothing pretends to be something else; cut to a summary's length.
    private static func oneLine(_ text: String) -> String {
        var out = String.UnicodeScalarView()
        for (at, scalar) in text.unicodeScalars.enumerated() {
            if at == maxSummaryScalars {
                out.append("…")
                break
            }
            if isVisible(scalar) {
                out.append(scalar)
            } else {
                out.append(contentsOf: String(format: "⟨U+%04X⟩", scalar.value).unicodeScalars)
            }
        }
        return String(out)
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .lineSeparator, .paragraphSeparator: return false
        // Joins emoji; a bidi control or another invisible is a format character too.
        case .format: return scalar.value == 0x200D
        default: return true
        }
    }

    private static func counter(in nonce: Data) -> UInt64 {
        nonce.dropFirst(4).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func bytes(ofHex value: Any?, count: Int) -> Data? {
        guard let hex = value as? String, hex.utf8.count == 2 * count else { return nil }
        var out = Data()
        var rest = Substring(hex)
        while !rest.isEmpty {
            let pair = rest.prefix(2)
            guard pair.allSatisfy({ $0.isHexDigit }), let byte = UInt8(pair, radix: 16) else { return nil }
            out.append(byte)
            rest = rest.dropFirst(2)
        }
        return out.count == count ? out : nil
    }
}

/// How the key of a pairing comes about; done once, when the device pairs.
enum CountersignKeys {
    /// From the device's 32-byte seed and the agent's X25519 key of the pairing link.
    static func sessionKey(seed: Data, agentX25519: Data) throws -> Data {
        let secret = hkdf(SymmetricKey(data: seed), salt: "skald-kdf-v1", info: "x25519")
        let mine = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secret)
        let theirs = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: agentX25519)
        let shared = try mine.sharedSecretFromKeyAgreement(with: theirs).withUnsafeBytes { Data($0) }
        guard shared.contains(where: { $0 != 0 }) else { throw CryptoKitError.authenticationFailure }
        return hkdf(SymmetricKey(data: shared), salt: "skald-session-v1", info: "aes-256-gcm")
    }

    private static func hkdf(_ key: SymmetricKey, salt: String, info: String) -> Data {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, salt: Data(salt.utf8), info: Data(info.utf8), outputByteCount: 32
        ).withUnsafeBytes { Data($0) }
    }
}
