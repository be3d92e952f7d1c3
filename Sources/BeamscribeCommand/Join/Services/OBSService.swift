#if Web
    import BeamscribeCore
    import BeamscribeTLS
    import BeamscribeWeb
    import FoundationEssentials

    /// OBS Studio by obs-websocket 5: puts captions into the stream that it sends (CEA-608).
    final class OBSService: CaptionService {
        private let address: OBSAddress
        /// Nil where none was given.
        private let password: String?
        private var connection: WebSocketClient?
        private var requests = 0

        init(_ address: OBSAddress, password: String?) {
            (self.address, self.password) = (address, password)
        }

        /// It counts nothing.
        func lastNumber() -> Int? { nil }

        func send(_ post: CaptionPost) -> CaptionDelivery.Answer {
            do throws(Trouble) {
                // One that OBS has closed meanwhile is no news.
                if connection?.isOpen == false { connection = nil }
                let connection = if let connection { connection } else { try connect() }
                self.connection = connection
                let answer = try ask(
                    connection, "SendStreamCaption", post.pieces.map(\.text).joined(separator: " "))
                return Self.meaning(of: answer)
            } catch {
                let wasAsked = connection != nil
                connection = nil
                return wasAsked ? .unanswered(error.why) : .refused(error.why)
            }
        }

        // MARK: The protocol

        /// Why OBS cannot be asked.
        private struct Trouble: Error {
            let why: String

            init(_ why: String) { self.why = why }

            init(_ failure: WebSocketClient.Failure) {
                why =
                    switch failure {
                    case .unreachable:
                        "nobody answers there; is OBS running, and its WebSocket server on (Tools, "
                            + "WebSocket Server Settings)?"
                    case .noWebSocket: "what answers there is not OBS"
                    case .silent: "it does not answer"
                    case .closed(4009):
                        "it wants another password than that of \(OBSAddress.variable) (Tools, "
                            + "WebSocket Server Settings)"
                    case .closed(let code):
                        "it has closed the connection" + (code.map { " (code \($0))" } ?? "")
                    }
            }
        }

        /// What OBS says; what is of another kind of message is missing.
        private struct Message: Decodable {
            struct Authentication: Decodable {
                var challenge: String
                var salt: String
            }
            struct Status: Decodable {
                var result: Bool
                var code: Int
            }
            struct Details: Decodable {
                var authentication: Authentication?
                var requestId: String?
                var requestStatus: Status?
            }
            var op: Int
            var d: Details
        }

        private struct Identify: Encodable {
            var op = 1
            var d: Details
            struct Details: Encodable {
                var rpcVersion = 1
                var authentication: String?
                var eventSubscriptions = 0
            }
        }

        private struct Request: Encodable {
            var op = 6
            var d: Details
            struct Details: Encodable {
                var requestType: String
                var requestId: String
                var requestData: [String: String]
            }
        }

        private func connect() throws(Trouble) -> WebSocketClient {
            let connection: WebSocketClient
            do throws(WebSocketClient.Failure) {
                connection = try WebSocketClient(
                    host: address.host, port: address.port, subprotocol: "obswebsocket.json")
            } catch {
                throw Trouble(error)
            }
            let hello = try next(from: connection) { $0.op == 0 }
            var identify = Identify(d: .init())
            if let demand = hello.d.authentication {
                guard let password else {
                    throw Trouble("it wants a password; give it in \(OBSAddress.variable)")
                }
                identify.d.authentication = Self.proof(
                    of: password, salt: demand.salt, challenge: demand.challenge)
            }
            send(identify, on: connection)
            _ = try next(from: connection) { $0.op == 2 }
            return connection
        }

        /// What proves that one knows the password, which itself is not sent.
        static func proof(of password: String, salt: String, challenge: String) -> String {
            let secret = Data(Digest.sha256(Array((password + salt).utf8))).base64EncodedString()
            return Data(Digest.sha256(Array((secret + challenge).utf8))).base64EncodedString()
        }

        private func ask(
            _ connection: WebSocketClient, _ type: String, _ text: String
        ) throws(Trouble) -> Message.Status {
            requests += 1
            let id = "\(requests)"
            send(
                Request(
                    d: .init(requestType: type, requestId: id, requestData: ["captionText": text])),
                on: connection)
            let answer = try next(from: connection) { $0.op == 7 && $0.d.requestId == id }
            guard let status = answer.d.requestStatus else { throw Trouble(.noWebSocket) }
            return status
        }

        private func send(_ message: some Encodable, on connection: WebSocketClient) {
            // Encoding fails for numbers that are not finite only.
            let json = (try? JSONEncoder().encode(message)) ?? Data()
            connection.send(String(decoding: json, as: UTF8.self))
        }

        /// The first message that is meant; others were not asked for.
        private func next(
            from connection: WebSocketClient, where isMeant: (Message) -> Bool
        ) throws(Trouble) -> Message {
            for _ in 0..<Limits.serviceTexts {
                let text: String
                do throws(WebSocketClient.Failure) {
                    text = try connection.receive()
                } catch {
                    throw Trouble(error)
                }
                guard let message = try? OutsideJSON().decode(Message.self, from: Data(text.utf8))
                else { throw Trouble(.noWebSocket) }
                if isMeant(message) { return message }
            }
            throw Trouble(.noWebSocket)
        }

        private static func meaning(of status: Message.Status) -> CaptionDelivery.Answer {
            switch (status.result, status.code) {
            case (true, _): .taken
            case (_, 501): .unwanted("no stream is on, and captions are for a stream")
            case (_, 207): .refused("it is not ready")
            case (_, let code): .unwanted("it refuses them (code \(code))")
            }
        }
    }
#endif
