package reference

import "strings"

// chapters splits the description's text at its headings. It knows what this API's text is made of:
// headings of one level, paragraphs, tables and code within lines.
func chapters(text string) []Chapter {
	var out []Chapter
	for i, part := range strings.Split("\n"+text, "\n## ") {
		title, rest := "About", part
		if i > 0 {
			title, rest, _ = strings.Cut(part, "\n")
		}
		out = append(out, Chapter{ID: "about-" + slug(title), Title: title, Blocks: blocks(rest)})
	}
	return out
}

func slug(title string) string { return strings.ReplaceAll(strings.ToLower(title), " ", "-") }

func blocks(text string) []Block {
	var out []Block
	for part := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		switch {
		case part == "":
		case strings.HasPrefix(part, "| "):
			out = append(out, table(part))
		default:
			out = append(out, Block{Text: spans(part)})
		}
	}
	return out
}

func table(text string) Block {
	var b Block
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var cells [][]Span
		for cell := range strings.SplitSeq(strings.Trim(line, "| "), " | ") {
			cells = append(cells, spans(cell))
		}
		switch i {
		case 0:
			b.Head = cells
		case 1: // the rule below the head
		default:
			b.Rows = append(b.Rows, cells)
		}
	}
	return b
}

func spans(text string) []Span {
	var out []Span
	for i, part := range strings.Split(text, "`") {
		if part != "" {
			out = append(out, Span{Text: part, Code: i%2 == 1})
		}
	}
	return out
}
