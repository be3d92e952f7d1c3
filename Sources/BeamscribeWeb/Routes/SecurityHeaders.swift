import HTTPTypes
import Hummingbird

/// Says with every answer what browsers may do with it: nothing that does not come from the host.
struct SecurityHeaders<Context: RequestContext>: RouterMiddleware {
    private static var policy: String {
        """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
        img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'
        """
    }

    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as any HTTPResponseError {
            response = try error.response(from: request, context: context)
        }
        response.headers[.contentSecurityPolicy] = Self.policy
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[Self.name("Referrer-Policy")] = "no-referrer"
        response.headers[Self.name("Cross-Origin-Resource-Policy")] = "same-origin"
        response.headers[Self.name("Cross-Origin-Opener-Policy")] = "same-origin"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        return response
    }

    private static func name(_ text: String) -> HTTPField.Name {
        // The names are written here, so that they are good ones.
        HTTPField.Name(text) ?? .server
    }
}
