package web

import (
	"encoding/json"
	"time"

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

// previewAccount returns an account as previews show it; one that is no longer connected has only its name.
func previewAccount(name string, account *contract.Account) preview.Account {
	if account == nil {
		return preview.Account{Name: name}
	}
	return preview.Account{Name: account.DisplayName, Username: valueOf(account.Username)}
}

func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
