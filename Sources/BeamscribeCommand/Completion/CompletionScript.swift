import FoundationEssentials

/// The script that has a shell complete the program's words, as ArgumentParser writes it, and what
/// has to be different.
///
/// For bash it passes what the program offers through `compgen -W`, which expands it: quoted badly
/// once, a name that somebody else has made up would be run as a command. Here bash only reads
/// lines, each a word that is already as it must be typed.
///
/// For zsh it switches `!` off while it completes, so that zsh does not quote it in the word that it
/// inserts; when the user then presses Enter, it means something from the history.
enum CompletionScript {
    /// The end of the command line that bash replaces, and all of it up to the cursor.
    static let wordVariable = "BEAMSCRIBE_COMPLETION_WORD"
    static let lineVariable = "BEAMSCRIBE_COMPLETION_LINE"

    /// `script`, without anything of others that the shell would read as its own.
    static func mended(_ script: String) -> String {
        if script.hasPrefix("#compdef beamscribe\n") {
            return script.replacing("unsetopt aliases banghist\n", with: "unsetopt aliases\n")
        }
        return script.hasPrefix("#!/bin/bash\n") ? mendedForBash(script) : script
    }

    private static func mendedForBash(_ script: String) -> String {
        let lines = script.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard let start = line.firstRange(of: asked), line.hasSuffix(endOfAsked) else {
                return line
            }
            return line[..<start.lowerBound] + "__beamscribe_offer_lines "
                + line[start.upperBound...].dropLast(endOfAsked.count) + endOfCall
        }
        return lines.joined(separator: "\n") + function
    }

    private static let asked = #"__beamscribe_add_completions -W "$(__beamscribe_custom_complete "#
    private static let endOfAsked = #")")""#
    private static let endOfCall = #")""#

    private static let function = #"""


        # Offers the lines that the program prints, each of them a word as it must be typed. Others
        # have made these names up: nothing here may expand them.
        __beamscribe_offer_lines() {
            local -x BEAMSCRIBE_COMPLETION_LINE="${COMP_LINE:0:COMP_POINT}"
            local -x BEAMSCRIBE_COMPLETION_WORD="${cur}"
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(__beamscribe_custom_complete "${@}")
            compopt +o filenames 2>/dev/null
            if [[ "${#COMPREPLY[@]}" -eq 1 && "${COMPREPLY[0]}" = */?([\'\"]) ]]; then
                compopt -o nospace 2>/dev/null
            fi
        }
        """#
}
