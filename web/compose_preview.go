package web

import (
	"slices"
	"strings"

	"belfry/views/posts"
	"belfry/views/preview"
)

// addPreviewsAndAppendedTextLengths adds a preview for each network with a chosen account; it shows the first such
// account. Text that is added at the end of a network's posts, such as hashtags, counts toward the limit on the
// network's text.
func (w *Web) addPreviewsAndAppendedTextLengths(m *posts.ComposeModel) {
	files := slices.Clone(m.Media)
	for i := range files {
		if alt := m.Values.Alts[files[i].ID]; alt != "" {
			files[i].Description = &alt
		}
	}
	for i, n := range m.Networks {
		first := slices.IndexFunc(m.Accounts, func(a posts.Account) bool { return a.Chosen && a.Platform == n.ID })
		if first < 0 {
			continue
		}
		account, text := m.Accounts[first], m.Values.TextFor(n.ID)
		shown, ok := w.buildPreview(previewInput{
			Platform: n.ID, Title: m.Values.TitleFor(n.ID), Text: text, Tags: parseTags(m.Values.TagsFor(n.ID)),
			Account:  preview.Account{Name: account.Name, Username: account.Username, Avatar: account.Avatar},
			Settings: encodeNonEmptySettings(n.Fields, settingsWithDefaultAltText(*m, n)), Files: files,
		})
		if !ok {
			continue
		}
		if added, ok := strings.CutPrefix(shown.Text, text); ok {
			m.Networks[i].Extra = n.Text.Unit.Length(added)
		}
		m.Previews = append(m.Previews, shown)
	}
}
