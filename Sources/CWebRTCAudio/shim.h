// The library is C++, which CVoiceProcessing alone sees; this is where it is found.
