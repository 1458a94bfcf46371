package reference

import "strings"

// splitChapters splits Markdown at its headings. It supports only what this API's description contains: headings of one
// level, paragraphs, tables and inline code.
func splitChapters(markdown string) []Chapter {
	var out []Chapter
	for i, part := range strings.Split("\n"+markdown, "\n## ") {
		title, rest := "About", part
		if i > 0 {
			title, rest, _ = strings.Cut(part, "\n")
		}
		out = append(out, Chapter{ID: "about-" + headingID(title), Title: title, Blocks: parseBlocks(rest)})
	}
	return out
}

func headingID(title string) string { return strings.ReplaceAll(strings.ToLower(title), " ", "-") }

// parseBlocks splits Markdown into paragraphs and tables.
func parseBlocks(markdown string) []Block {
	var out []Block
	for part := range strings.SplitSeq(strings.TrimSpace(markdown), "\n\n") {
		switch {
		case part == "":
		case strings.HasPrefix(part, "| "):
			out = append(out, parseMarkdownTable(part))
		default:
			out = append(out, Block{Text: parseSpans(part)})
		}
	}
	return out
}

func parseMarkdownTable(markdown string) Block {
	var b Block
	for i, line := range strings.Split(strings.TrimSpace(markdown), "\n") {
		var cells [][]Span
		for cell := range strings.SplitSeq(strings.Trim(line, "| "), " | ") {
			cells = append(cells, parseSpans(cell))
		}
		switch i {
		case 0:
			b.Head = cells
		case 1: // the line between head and rows
		default:
			b.Rows = append(b.Rows, cells)
		}
	}
	return b
}

// parseSpans splits Markdown into text and inline code.
func parseSpans(markdown string) []Span {
	var out []Span
	for i, part := range strings.Split(markdown, "`") {
		if part != "" {
			out = append(out, Span{Text: part, Code: i%2 == 1})
		}
	}
	return out
}
