import HTTPTypes
import Hummingbird

/// Answers only those who ask by one of the page's names.
struct NameCheck<Context: RequestContext>: RouterMiddleware {
    let names: PageNames

    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // Every browser sends it, and HTTP/1.1 asks for it (RFC 9112, section 3.2).
        guard let authority = request.head.authority else {
            return WebRoutes.text("This request lacks its Host field.\n", .badRequest)
        }
        guard names.include(authority) else {
            return WebRoutes.text(
                "The page does not go by this name: use the address that the host shows, or start the "
                    + "host with --web-name and the name.\n", .misdirectedRequest)
        }
        return try await next(request, context)
    }
}
