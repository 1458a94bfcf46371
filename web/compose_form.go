package web

import (
	"encoding/json"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/views/posts"
)

// readComposerValues returns the values of the composer's inputs.
func readComposerValues(form url.Values, networks []posts.Network, files []posts.File) posts.Values {
	values := posts.Values{
		Text: form.Get(posts.FieldText), Title: form.Get(posts.FieldTitle), Tags: form.Get(posts.FieldTags),
		Tab: form.Get(posts.FieldTab), Revision: form.Get(posts.FieldRevision),
		When: form.Get(posts.FieldWhen), At: form.Get(posts.FieldAt), Uploading: form.Get(posts.FieldUploading) != "",
		Overrides: map[string]posts.Override{}, Settings: map[string]map[string]string{}, Alts: map[string]string{},
	}
	if values.When == "" {
		values.When = posts.WhenDraft
	}
	for _, n := range networks {
		own := func(part string) string { return form.Get(posts.OverrideFieldName(n.ID, part)) }
		values.Overrides[n.ID] = posts.Override{
			Text: own(posts.FieldText), Title: own(posts.FieldTitle), Tags: own(posts.FieldTags),
			NoText: form.Get(posts.OmitTextAndTagsFieldName(n.ID)) != "",
		}
		values.Settings[n.ID] = map[string]string{}
		for _, f := range n.Fields {
			values.Settings[n.ID][f.Name] = settingTextFromLastInput(f, form[posts.SettingFieldName(n.ID, f.Name)])
		}
	}
	for _, f := range files {
		if values.Alts[f.ID] = f.Alt; form.Has(posts.AltFieldName(f.ID)) {
			values.Alts[f.ID] = form.Get(posts.AltFieldName(f.ID))
		}
	}
	return values
}

// settingTextFromLastInput returns a setting's value from the values of its inputs. A switch that is on by default has
// two inputs, of which the last one counts. For a switch with its default value, the result is "".
func settingTextFromLastInput(f network.Field, texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	text := texts[len(texts)-1]
	if f.Kind == network.FieldSwitch && text == f.Default {
		return ""
	}
	return text
}

// newPlanRequest converts the form to a request for the chosen accounts. It omits the inputs of other networks, which
// are hidden.
func newPlanRequest(m posts.ComposeModel) contract.PlanPosts {
	in := contract.PlanPosts{
		Text: m.Values.Text, Title: m.Values.Title, Tags: parseTags(m.Values.Tags),
		When: new(whenFromValues(m.Values, m.Zone.Name())), MediaIDs: m.MediaIDs,
		Targets:     contract.Targets{AccountIDs: chosenAndUnknownAccountIDs(m)},
		PerPlatform: map[string]json.RawMessage{}, Overrides: map[string]contract.Override{},
	}
	for _, n := range m.Networks {
		if !m.HasChosenAccount(n.ID) {
			continue
		}
		if own := m.Values.Overrides[n.ID]; own != (posts.Override{}) {
			in.Overrides[n.ID] = convertOverride(own)
		}
		if block := encodeNonEmptySettings(n.Fields, settingsWithDefaultAltText(m, n)); block != nil {
			in.PerPlatform[n.ID] = block
		}
	}
	return in
}

// chosenAndUnknownAccountIDs returns the ids of the chosen accounts, including accounts that no longer exist.
func chosenAndUnknownAccountIDs(m posts.ComposeModel) (ids []string) {
	for _, a := range m.Accounts {
		if a.Chosen {
			ids = append(ids, a.ID)
		}
	}
	return append(ids, m.Unknown...)
}

// convertOverride converts a network's own text, title and tags. Empty values become nil, except
// that NoText makes the text empty, and also the tags unless the network has its own.
func convertOverride(own posts.Override) (o contract.Override) {
	switch {
	case own.NoText:
		o.Text, o.Tags = new(""), &[]string{}
	case own.Text != "":
		o.Text = &own.Text
	}
	if own.Title != "" {
		o.Title = &own.Title
	}
	if tags := parseTags(own.Tags); tags != nil {
		o.Tags = &tags
	}
	return o
}

// settingsWithDefaultAltText returns a network's settings. Unless the form has an alternative text for the network, the
// result contains that of the first file, if it is a picture.
func settingsWithDefaultAltText(m posts.ComposeModel, n posts.Network) map[string]string {
	settings := maps.Clone(m.Values.Settings[n.ID])
	if settings[network.SettingAltText] == "" && len(m.Files) > 0 && !m.Files[0].Video {
		settings[network.SettingAltText] = m.Values.Alts[m.Files[0].ID]
	}
	return settings
}

// unchosenSettingErrors returns, by network, an error for each setting that the person must choose but has not chosen.
// It returns none for drafts.
func unchosenSettingErrors(m posts.ComposeModel) (errorsByPlatform map[string][]*core.Error) {
	unchosen := map[string][]*core.Error{}
	for _, n := range m.Networks {
		for _, f := range n.Fields {
			if f.Ask && m.HasChosenAccount(n.ID) && m.Values.When != posts.WhenDraft && m.Values.Setting(n.ID, f.Name) == "" {
				path := "perPlatform." + n.ID + "." + f.Name
				unchosen[n.ID] = append(unchosen[n.ID], core.NotSelected(path, "an option for “"+f.Label+"” on "+n.Name))
			}
		}
	}
	return unchosen
}

// firstUnchosenSettingError returns the first error of unchosenSettingErrors, or nil.
func firstUnchosenSettingError(m posts.ComposeModel) (errorOrNil *core.Error) {
	unchosen := unchosenSettingErrors(m)
	for _, n := range m.Networks {
		if len(unchosen[n.ID]) > 0 {
			return unchosen[n.ID][0]
		}
	}
	return nil
}

// whenFromValues returns the composer's choice of time: a word, or a local time in the zone.
func whenFromValues(values posts.Values, zone string) contract.When {
	if values.When != posts.WhenAt {
		return contract.When{Word: values.When, Delayed: values.When == posts.WhenNow}
	}
	return contract.When{PublishAt: trimZeroSeconds(values.At), Timezone: zone}
}

// whenFromTimeInputs returns the local time and the zone in a form for rescheduling.
func whenFromTimeInputs(form url.Values) contract.When {
	return contract.When{PublishAt: trimZeroSeconds(form.Get(posts.FieldAt)), Timezone: form.Get(posts.FieldZone)}
}

// parseLocalTimeOrZero returns the instant of a local time in a zone, or the zero time if it is not valid or a clock
// change skips it.
func parseLocalTimeOrZero(local string, zone core.Zone, now time.Time) time.Time {
	when, err := core.ParseWhen("", trimZeroSeconds(local), "", zone)
	if err != nil {
		return time.Time{}
	}
	at, _, _ := when.Resolve(now)
	return at
}

// trimZeroSeconds removes the seconds that some browsers add.
func trimZeroSeconds(at string) string {
	if short, ok := strings.CutSuffix(at, ":00"); ok && len(short) == len(wallTime) {
		return short
	}
	return at
}

func joinTags(tags []string) string { return strings.Join(tags, ", ") }

// parseTags splits a text at commas and returns each tag once, or nil if there are none.
func parseTags(commaSeparated string) []string {
	var tags []string
	for tag := range strings.SplitSeq(commaSeparated, ",") {
		if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// encodeNonEmptySettings converts the values of inputs to a settings block. It omits empty values, and returns nil if
// all are empty.
func encodeNonEmptySettings(fields []network.Field, texts map[string]string) (blockOrNil json.RawMessage) {
	block := map[string]any{}
	for _, f := range fields {
		if text := texts[f.Name]; strings.TrimSpace(text) != "" {
			block[f.Name] = parseSettingValueOrText(f, text)
		}
	}
	if len(block) == 0 {
		return nil
	}
	raw, err := json.Marshal(block)
	if err != nil {
		return nil // this cannot happen with texts, numbers and lists of texts
	}
	return raw
}

// parseSettingValueOrText converts an input's text to the type of its field. A number that is not valid stays a
// string, which the network's check refuses later.
func parseSettingValueOrText(f network.Field, text string) any {
	switch f.Kind {
	case network.FieldSwitch:
		return text == "true"
	case network.FieldNumber:
		if f.VideoTime {
			return secondsToMillisecondsIfNumber(text)
		}
		if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil {
			if f.FileIndex {
				n--
			}
			return n
		}
	case network.FieldList:
		lines := strings.Split(text, "\n")
		return slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" })
	case network.FieldURL, network.FieldDate:
		return strings.TrimSpace(text)
	}
	return text
}

// secondsToMillisecondsIfNumber converts seconds to whole milliseconds. It does not change a text that is not a number.
func secondsToMillisecondsIfNumber(text string) any {
	seconds, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if ms := math.Round(seconds * 1000); err == nil && math.Abs(ms) <= math.MaxInt32 { // not infinite, and a number
		return int(ms)
	}
	return text
}

// inputForFieldPath returns the name of the composer's input for a path in the API request, or "" if there is none.
func inputForFieldPath(fieldPath string) (inputNameOrEmpty string) {
	head, rest, _ := strings.Cut(fieldPath, ".")
	head, _, _ = strings.Cut(head, "[")
	switch head {
	case posts.FieldText, posts.FieldTitle:
		return head
	case "targets":
		return posts.FieldAccount
	case "mediaIds":
		return posts.FieldMedia
	case "when":
		return posts.FieldAt
	case "overrides":
		return "override." + rest
	case "perPlatform", "settings":
		setting, _, _ := strings.Cut(rest, "[")
		return "settings." + setting
	}
	return ""
}
