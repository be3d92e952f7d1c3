import BeamscribeCore

/// Where on a slide everything is, in its units from the top left.
struct SlideLayout {
    let canvas: SlideCanvas

    /// What is kept free around everything. The code's quiet zone is in it: four of the largest
    /// modules.
    private static let margin = QRCode.quietZone * largestModule
    private static let largestModule = 26
    /// The square that the code may take at the left, without its quiet zone.
    private static let codeBox = 700
    /// The column of words beside the code.
    private static let column = 920.0
    private static let columnWidth = Double(QRSlide.size.width - margin) - column
    /// The band below the code, where the address is.
    private static let band = (top: 890.0, bottom: 1_052.0)
    private static let bandWidth = Double(QRSlide.size.width - 2 * margin)
    /// How high a capital letter is, and how far lines are apart, for a letter size of 1.
    private static let capital = 0.72
    private static let lineDistance = 1.24
    private static let headingDistance = 1.14

    func draw(_ code: QRCode, _ text: QRSlideText) {
        draw(code)
        let end = drawHeading(text.heading)
        drawSteps(text.steps, top: end + 58)
        if let warning = text.warning {
            drawBand([warning, text.address], sizes: [62, 56])
        } else {
            let lines = addressLines(text.address)
            drawBand(lines, sizes: lines.map { _ in 132 / Double(lines.count) })
        }
    }

    /// Draws the code with modules of a whole number of pixels.
    private func draw(_ code: QRCode) {
        let module = min(Self.largestModule, Self.codeBox / code.width)
        for row in 0..<code.width {
            for run in blackRuns(of: code, row: row) {
                canvas.addRectangle(
                    x: Self.margin + run.lowerBound * module, y: Self.margin + row * module,
                    width: run.count * module, height: module)
            }
        }
        canvas.fill()
    }

    /// The columns of black modules side by side: one rectangle each, so that no hair of white is
    /// between two modules when a drawing is made smaller.
    private func blackRuns(of code: QRCode, row: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for column in 0..<code.width where code.isBlack(column: column, row: row) {
            if let last = runs.last, last.upperBound == column {
                runs[runs.count - 1] = last.lowerBound..<column + 1
            } else {
                runs.append(column..<column + 1)
            }
        }
        return runs
    }

    /// Draws the heading, its capitals as high up as the code, and answers where it ends.
    private func drawHeading(_ lines: [String]) -> Double {
        let size = lines.map { fitting($0, size: 118, width: Self.columnWidth) }.min() ?? 0
        let first = Double(Self.margin) + size * Self.capital
        for (index, line) in lines.enumerated() {
            let baseline = first + Double(index) * size * Self.headingDistance
            canvas.write(line, x: Self.column, y: baseline, size: size)
        }
        return first + Double(lines.count - 1) * size * Self.headingDistance
    }

    private func drawSteps(_ steps: [[String]], top: Double) {
        let size = 54.0
        let radius = 36.0
        let indent = 2 * radius + 28
        var baseline = top + size
        for (index, lines) in steps.enumerated() {
            let middle = baseline - size * Self.capital / 2
            drawNumber(index + 1, x: Self.column + radius, y: middle, radius: radius, size: size)
            for line in lines {
                let fitting = fitting(line, size: size, width: Self.columnWidth - indent)
                canvas.write(line, x: Self.column + indent, y: baseline, size: fitting)
                baseline += size * Self.lineDistance
            }
            baseline += 36
        }
    }

    /// Draws a number in white on a black disc.
    private func drawNumber(_ number: Int, x: Double, y: Double, radius: Double, size: Double) {
        canvas.fillCircle(x: x, y: y, radius: radius)
        canvas.useWhite()
        let width = canvas.width(of: "\(number)", size: size)
        canvas.write("\(number)", x: x - width / 2, y: y + size * Self.capital / 2, size: size)
        canvas.useBlack()
    }

    /// Draws lines in the middle of the band's height, each at most as large as its size says.
    private func drawBand(_ lines: [String], sizes: [Double]) {
        let sizes = zip(lines, sizes).map { fitting($0, size: $1, width: Self.bandWidth) }
        let height = sizes.reduce(0, +) * Self.lineDistance
        var top = (Self.band.top + Self.band.bottom - height) / 2
        for (line, size) in zip(lines, sizes) {
            let baseline = top + size * (Self.lineDistance + Self.capital) / 2
            canvas.write(line, x: Double(Self.margin), y: baseline, size: size)
            top += size * Self.lineDistance
        }
    }

    /// An address in one line, or in up to three where it would get too small to read; what is
    /// more than these hold is left out.
    private func addressLines(_ address: String) -> [String] {
        let smallest = 42.0
        var lines: [String] = []
        var rest = Substring(address)
        while !rest.isEmpty, lines.count < 3 {
            let count = charactersThatFit(rest, size: smallest)
            lines.append(String(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        if !rest.isEmpty { lines[2] = lines[2].dropLast(3) + "..." }
        return lines
    }

    /// No letter is so narrow that two hundred would fit.
    private func charactersThatFit(_ text: Substring, size: Double) -> Int {
        var count = min(text.count, 200)
        while count > 1, canvas.width(of: String(text.prefix(count)), size: size) > Self.bandWidth {
            count -= 1
        }
        return count
    }

    /// `size`, or the smaller one at which `text` is `width` wide.
    private func fitting(_ text: String, size: Double, width: Double) -> Double {
        let needed = canvas.width(of: text, size: size)
        return needed > width ? size * width / needed : size
    }
}
