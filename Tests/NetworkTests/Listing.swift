import Foundation

/// A line of `browse --json`.
struct Listing: Decodable, Equatable {
    var name: String
    var type: String
    var host: String
    var addresses: [String]
    var port: Int
    var txt: [String: String]
    var event: String?
    var deviceName: String?
    var joinable: Bool?
    var why: String?
    var session: String?
    var found: [String]?
    var holders: [String]?
    var holdingMachines: Int?
    var hostIsSilent: Bool?

    init(_ line: String) throws {
        self = try JSONDecoder().decode(Listing.self, from: Data(line.utf8))
    }
}

/// A line of `browse --watch --json`.
struct ListingChange: Decodable {
    var change: String
    var service: Listing

    init(_ line: String) throws {
        self = try JSONDecoder().decode(ListingChange.self, from: Data(line.utf8))
    }
}
