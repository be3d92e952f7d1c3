internal import CCurl

/// What is called of libcurl, which is loaded when the first request is made: linked, it and the
/// 30 libraries that it needs would make each start of the program longer.
struct CurlLibrary: @unchecked Sendable {
    // Unchecked: the addresses of functions, none of which keeps anything but in its handle.
    let cleanup: curl_easy_cleanup_call
    let initialise: curl_easy_init_call
    let perform: curl_easy_perform_call
    let reset: curl_easy_reset_call
    let words: curl_easy_strerror_call
    let append: curl_slist_append_call
    let free: curl_slist_free_all_call
    /// Called by the shims of CCurl.
    let setOption: UnsafeMutableRawPointer
    let getInformation: UnsafeMutableRawPointer

    /// The system's; nil where there is none. Loaded and prepared once.
    static let system = CurlLibrary("libcurl.so.4") ?? CurlLibrary("libcurl-gnutls.so.4")

    /// Everything that the library can prepare (CURL_GLOBAL_ALL).
    private static let all = 3

    private init?(_ name: String) {
        guard let library = SharedLibrary(name),
            let cleanup = library.address(of: "curl_easy_cleanup"),
            let initialise = library.address(of: "curl_easy_init"),
            let perform = library.address(of: "curl_easy_perform"),
            let reset = library.address(of: "curl_easy_reset"),
            let words = library.address(of: "curl_easy_strerror"),
            let append = library.address(of: "curl_slist_append"),
            let free = library.address(of: "curl_slist_free_all"),
            let prepare = library.address(of: "curl_global_init"),
            let setOption = library.address(of: "curl_easy_setopt"),
            let getInformation = library.address(of: "curl_easy_getinfo")
        else { return nil }
        // The types are made of the functions' own declarations in the headers.
        self.cleanup = unsafeBitCast(cleanup, to: curl_easy_cleanup_call.self)
        self.initialise = unsafeBitCast(initialise, to: curl_easy_init_call.self)
        self.perform = unsafeBitCast(perform, to: curl_easy_perform_call.self)
        self.reset = unsafeBitCast(reset, to: curl_easy_reset_call.self)
        self.words = unsafeBitCast(words, to: curl_easy_strerror_call.self)
        self.append = unsafeBitCast(append, to: curl_slist_append_call.self)
        self.free = unsafeBitCast(free, to: curl_slist_free_all_call.self)
        (self.setOption, self.getInformation) = (setOption, getInformation)
        guard unsafeBitCast(prepare, to: curl_global_init_call.self)(Self.all) == CURLE_OK else {
            return nil
        }
    }
}
