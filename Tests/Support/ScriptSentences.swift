import Foundation

/// Captions in many scripts, for tests of what a screen shows.
public enum ScriptSentences {
    /// The beginning of article 1 of the Universal Declaration of Human Rights, or one of its
    /// sentences.
    public static let sentences = [
        "hi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
        "bn": "সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং অধিকার নিয়ে জন্মগ্রহণ করে।",
        "ta": "மனிதப் பிறவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர்; மதிப்பிலும் உரிமைகளிலும் சமமானவர்கள்.",
        "te": "ప్రతిపత్తిస్వత్వముల విషయమున మానవులెల్లరును జన్మతః స్వతంత్రులును సమానులును నగుదురు.",
        "kn": "ಎಲ್ಲಾ ಮಾನವರೂ ಸ್ವತಂತ್ರರಾಗಿಯೇ ಜನಿಸಿದ್ದಾರೆ. ಹಾಗೂ ಘನತೆ ಮತ್ತು ಹಕ್ಕುಗಳಲ್ಲಿ ಸಮಾನರಾಗಿದ್ದಾರೆ.",
        "ml": "മനുഷ്യരെല്ലാവരും തുല്യാവകാശങ്ങളോടും അന്തസ്സോടും സ്വാതന്ത്ര്യത്തോടുംകൂടി ജനിച്ചിട്ടുള്ളവരാണ്.",
        "gu": "પ્રતિષ્ઠા અને અધિકારોની દૃષ્ટિએ સર્વ માનવો જન્મથી સ્વતંત્ર અને સમાન હોય છે.",
        "pa": "ਸਾਰਾ ਮਨੁੱਖੀ ਪਰਿਵਾਰ ਆਪਣੀ ਮਹਿਮਾ, ਸ਼ਾਨ ਅਤੇ ਹੱਕਾਂ ਦੇ ਪੱਖੋਂ ਜਨਮ ਤੋਂ ਹੀ ਆਜ਼ਾਦ ਹੈ।",
        "si": "සියලු මනුෂ්‍යයෝ නිදහස්ව උපත ලබා ඇත. ගරුත්වයෙන් හා අයිතිවාසිකම්වලින් සමාන වෙති.",
        "km": "មនុស្សទាំងអស់ កើតមកមានសេរីភាព និងសមភាព ក្នុងផ្នែកសេចក្ដីថ្លៃថ្នូរ និងសិទ្ធិ។",
        "my": "လူတိုင်းသည် တူညီ လွတ်လပ်သော ဂုဏ်သိက္ခာဖြင့် လည်းကောင်း၊ အခွင့်အရေးများဖြင့် လည်းကောင်း၊ မွေးဖွားလာသူများ ဖြစ်သည်။",
        "th": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
        "lo": "ມະນຸດທຸກຄົນເກີດມາມີກຽດສັກສີ ສິດທິ ເສລີພາບ ແລະ ຄວາມສະເໝີພາບເທົ່າທຽມກັນ",
        "bo": "འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་ལ་སྐྱེས་ཙམ་ཉིད་ནས་ཆེ་མཐོངས་དང༌། ཐོབ་ཐངགི་རང་དབང་འདྲ་མཉམ་དུ་ཡོད་ལ།",
        "ar": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.",
        "ar, vowelled": "يُولَدُ جَمِيعُ النَّاسِ أَحْرَارًا مُتَسَاوِينَ فِي الْكَرَامَةِ وَالْحُقُوقِ.",
        "he, pointed": "כָּל בְּנֵי הָאָדָם נוֹלְדוּ בְּנֵי חוֹרִין וְשָׁוִים בְּעֶרְכָּם וּבִזְכֻיּוֹתֵיהֶם.",
        "ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
        "ja": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
        "vi": "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền.",
        "am": "የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው።",
        "mn": "Хүн бүр төрж мэндлэхдээ эрх чөлөөтэй, адилхан нэр төртэй, ижил эрхтэй байдаг.",
    ]

    /// All sentences; those of Korean, Japanese and Vietnamese also with each mark by itself (NFD).
    public static var lines: [String] {
        let apart = ["ko", "ja", "vi"].compactMap {
            sentences[$0]?.decomposedStringWithCanonicalMapping
        }
        return sentences.sorted { $0.key < $1.key }.map(\.value) + apart
    }

    /// The words by themselves, however they are composed, broken into rows and written in a
    /// direction.
    public static func words(_ text: String) -> String {
        let scalars = text.precomposedStringWithCanonicalMapping.unicodeScalars.filter {
            !$0.properties.isWhitespace && !(0x2066...0x2069).contains($0.value)
                && !(0x200E...0x200F).contains($0.value)
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The words of `lines` that `screen` does not show, with their lines; none where all are
    /// there.
    public static func lost(of lines: [String], on screen: String) -> [String] {
        let shown = words(screen)
        return lines.filter { !shown.contains(words($0)) }.map { line in
            let words = line.split(separator: " ").filter {
                !shown.contains(self.words(String($0)))
            }
            return "\(words.isEmpty ? ["the order"] : words) of \"\(line)\""
        }
    }
}
