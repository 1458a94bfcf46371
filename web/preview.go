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

// previewInput is what a preview shows: a post as it is so far, with the files in their order.
type previewInput struct {
	Platform    string
	Account     preview.Account
	Title, Text string
	Tags        []string
	Settings    json.RawMessage // settings that the network cannot read are left out
	Files       []contract.Media
}

// previewOf returns a post as its network shows it; ok is false for a network that this server does not have.
func (w *Web) previewOf(in previewInput) (m preview.Model, ok bool) {
	rules, ok := w.cfg.Networks.RulesOf(core.Platform(in.Platform))
	if !ok {
		return m, false
	}
	draft := network.Draft{Text: in.Text, Title: in.Title, Tags: in.Tags, Settings: in.Settings}
	m = preview.Model{Platform: in.Platform, Network: rules.Describe().Name, Account: in.Account}
	for _, file := range in.Files {
		facts := core.FileFacts{Kind: core.FileKind(file.Kind)}
		facts.Width, facts.Height, facts.DurationMs = valueOf(file.Width), valueOf(file.Height), valueOf(file.DurationMs)
		draft.Media = append(draft.Media, core.Media{Name: file.OriginalName, FileFacts: facts})
		shown := preview.File{
			Name: file.OriginalName, Alt: valueOf(file.Description), Video: facts.Kind == core.FileVideo,
			Length: time.Duration(facts.DurationMs) * time.Millisecond, Width: facts.Width, Height: facts.Height,
		}
		if file.PurgedAt == nil {
			shown.Picture = valueOf(file.ThumbnailURL)
		}
		m.Files = append(m.Files, shown)
	}
	m.Preview = network.PreviewOf(rules, draft)
	return m, true
}

// previewAccount returns a post's account as previews show it. One that is no longer connected has no username.
func previewAccount(card app.PostCard, account *contract.Account) preview.Account {
	shown := preview.Account{Name: card.AccountName, Avatar: card.AccountAvatar}
	if account != nil {
		shown.Username = valueOf(account.Username)
	}
	return shown
}

func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
