package web

import (
	"encoding/json"
	"time"

	"belfry/internal/app"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/views/preview"
)

// previewInput is the content of a post for a preview. It may be incomplete.
type previewInput struct {
	Platform    string
	Account     preview.Account
	Title, Text string
	Tags        []string
	Settings    json.RawMessage  // invalid ones are ignored
	Files       []contract.Media // in the post's order
}

// newPreviewInputWithoutAccount returns the content of a saved post for a preview, without its account.
func newPreviewInputWithoutAccount(card app.PostCard, filesByID map[string]contract.Media) previewInput {
	in := previewInput{
		Platform: card.Platform, Title: valueOrZero(card.Title), Text: card.Text, Tags: card.Tags, Settings: card.Settings,
	}
	for _, id := range card.MediaIDs {
		if file, ok := filesByID[id]; ok {
			in.Files = append(in.Files, file)
		}
	}
	return in
}

// buildPreview returns a post as its network shows it; ok is false for an unknown network.
func (w *Web) buildPreview(in previewInput) (m preview.Model, ok bool) {
	rules, ok := w.cfg.Networks.FindRules(core.Platform(in.Platform))
	if !ok {
		return m, false
	}
	draft := network.Draft{Text: in.Text, Title: in.Title, Tags: in.Tags, Settings: in.Settings}
	m = preview.Model{Platform: in.Platform, Network: rules.Describe().Name, Account: in.Account}
	for _, file := range in.Files {
		facts := core.FileFacts{Kind: core.FileKind(file.Kind)}
		facts.Width, facts.Height = valueOrZero(file.Width), valueOrZero(file.Height)
		facts.DurationMs = valueOrZero(file.DurationMs)
		draft.Media = append(draft.Media, core.Media{Name: file.OriginalName, FileFacts: facts})
		shown := preview.File{
			Name: file.OriginalName, Alt: valueOrZero(file.Description), Video: facts.Kind == core.FileVideo,
			Length: time.Duration(facts.DurationMs) * time.Millisecond, Width: facts.Width, Height: facts.Height,
		}
		if file.PurgedAt == nil {
			shown.Picture = valueOrZero(file.ThumbnailURL)
		}
		m.Files = append(m.Files, shown)
	}
	m.Preview = network.BuildPreview(rules, draft)
	return m, true
}

// newPreviewAccount returns a post's account for a preview. accountOrNil is nil if it is no longer connected; the
// result then has no username.
func newPreviewAccount(card app.PostCard, accountOrNil *contract.Account) preview.Account {
	shown := preview.Account{Name: card.AccountName, Avatar: card.AccountAvatar}
	if accountOrNil != nil {
		shown.Username = valueOrZero(accountOrNil.Username)
	}
	return shown
}

// valueOrZero returns the value to which p points, or the zero value if p is nil.
func valueOrZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
