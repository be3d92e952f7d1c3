/// Values that a standard or another implementation gives, each of hexadecimal digits behind its name.
struct VectorText {
    private let values: [String: [UInt8]]

    init(_ text: String) {
        var values: [String: [UInt8]] = [:]
        var name = ""
        for word in text.split(whereSeparator: \.isWhitespace) where word != "=" {
            if let bytes = Self.bytes(word) {
                values[name, default: []] += bytes
            } else {
                name = String(word)
            }
        }
        self.values = values
    }

    /// A value; empty where there is none.
    subscript(name: String) -> [UInt8] { values[name] ?? [] }

    private static func bytes(_ word: Substring) -> [UInt8]? {
        let digits = Array(word)
        guard digits.count > 2, digits.count.isMultiple(of: 2) else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
        return 2 * bytes.count == digits.count ? bytes : nil
    }
}

extension VectorText {
    /// RFC 9383, Appendix C: P256-SHA256-HKDF-SHA256-HMAC-SHA256. Its context, prover and verifier
    /// are texts: see ``rfcContext``.
    static let rfc9383 = VectorText(
        """
        w0 =
        bb8e1bbcf3c48f62c08db243652ae55d3e5586053fca77102994f23ad95491b3
        w1 =
        7e945f34d78785b8a3ef44d0df5a1a97d6b3b460409a345ca7830387a74b1dba
        L =
        04eb7c9db3d9a9eb1f8adab81b5794c1f13ae3e225efbe91ea487425854c7fc00f00bfedcbd09b24
        00142d40a14f2064ef31dfaa903b91d1faea7093d835966efd
        x =
        d1232c8e8693d02368976c174e2088851b8365d0d79a9eee709c6a05a2fad539
        shareP =
        04ef3bd051bf78a2234ec0df197f7828060fe9856503579bb1733009042c15c0c1de127727f418b5
        966afadfdd95a6e4591d171056b333dab97a79c7193e341727
        y =
        717a72348a182085109c8d3917d6c43d59b224dc6a7fc4f0483232fa6516d8b3
        shareV =
        04c0f65da0d11927bdf5d560c69e1d7d939a05b0e88291887d679fcadea75810fb5cc1ca7494db39
        e82ff2f50665255d76173e09986ab46742c798a9a68437b048
        confirmationKeyP =
        871ae3f7b78445e34438fb284504240239031c39d80ac23eb5ab9be5ad6db58a
        confirmationKeyV =
        ccd53c7c1fa37b64a462b40db8be101cedcf838950162902054e644b400f1680
        confirmP =
        926cc713504b9b4d76c9162ded04b5493e89109f6d89462cd33adc46fda27527
        confirmV =
        9747bcc4f8fe9f63defee53ac9b07876d907d55047e6ff2def2e7529089d3e68
        shared =
        0c5f8ccd1413423a54f6c1fb26ff01534a87f893779c6e68666d772bfd91f3e7
        """)
    static let rfcContext = "SPAKE2+-P256-SHA256-HKDF-SHA256-HMAC-SHA256 Test Vectors"

    /// The proof of the code 4821-7730 for a salt, as the implementation in
    /// Tests/Support/Peers has it, which was written from the RFC alone. The shares are those of
    /// the RFC's x and y.
    static let code = VectorText(
        """
        salt =
        963435f31dc94defbf9959a085b55c03
        w0 =
        7532ca136776b1c25149d42f474d95b7d1d8327d0f03db3219f39fcf06c305fa
        w1 =
        627fab2795fa9410bbf8bc9c64e10d435ac149afb5c216d5bcbdee310fcf10b5
        L =
        045cc19aab5b1fe6a76c2b6acc9f53ef88ad6b60fe3e00360c51472e8e308b624e792ce1abad464a
        994d48a8590346f83f7a9e485dacee6c1897d522de31073c6e
        exporter =
        000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        x =
        d1232c8e8693d02368976c174e2088851b8365d0d79a9eee709c6a05a2fad539
        y =
        717a72348a182085109c8d3917d6c43d59b224dc6a7fc4f0483232fa6516d8b3
        shareP =
        04ddabe77a5d70474dbd4cf72a0706a2a330554aa35b36312531a9b2d5293d216739021492fe472d
        c35d9b03b7c782a911426cd29c21a6d70142aa7d9c2ab57b0d
        shareV =
        04ae2b4db7c06b926f34d8fd1212b492cd4f0a146fbf3934f97123f1e53727eeddd6432626dc2b32
        44ddb4154fa880b96ef33cde25520aa134a7f881c42cf0bcbc
        confirmP =
        3af1a00216898ad4165bae22345c2167ba00f46dba8de194b4af6b8e36deebfa
        confirmV =
        831eab3fa4c0be53d008527a64e89bec1b4880a749ef43f9347165c7316998b9
        """)
}
