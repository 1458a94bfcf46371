package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write docs/networks/settings.md anew")

// settingRow is a setting and where it arrives at its network.
type settingRow struct {
	network, name string
	value         any
	kind          string // the name of the kind of post that has it
	call          string // of the network's API, and the field in it
	field         string // in the network's own record of the post; "link" for its link
	want          string // there
}

const (
	insertVideo = "`videos.insert`"
	mediaEdge   = "`POST /{account}/media`"
	videoInit   = "`POST /v2/post/publish/video/init/`"
	photoInit   = "`POST /v2/post/publish/content/init/`"
	threadsEdge = "`POST /{profile}/threads`"
	notSent     = "not sent"
)

// settingRows lists every setting, with a value that is not its default. Settings of one network and kind are sent with
// one post.
func settingRows() []settingRow {
	const link = "https://example.org/stollen"
	const y, i, f, h, k = "youtube", "instagram", "facebook", "threads", "tiktok"
	return []settingRow{
		{y, "visibility", "unlisted", "video", insertVideo + " `status.privacyStatus`", "privacyStatus", "unlisted"},
		{y, "madeForKids", true, "video", insertVideo + " `status.selfDeclaredMadeForKids`", "selfDeclaredMadeForKids", "true"},
		{y, "useCoverAsThumbnail", true, "video with an image", "`thumbnails.set`, the image", "thumbnail", "tall.jpg"},
		{y, "category", "10", "video", insertVideo + " `snippet.categoryId`", "categoryId", "10"},
		{y, "language", "pt-BR", "video", insertVideo + " `snippet.defaultLanguage`", "defaultLanguage", "pt-BR"},
		{y, "audioLanguage", "de", "video", insertVideo + " `snippet.defaultAudioLanguage`", "defaultAudioLanguage", "de"},
		{
			y, "recordingDate", "2026-01-31", "video", insertVideo + " `recordingDetails.recordingDate`", "recordingDate",
			"2026-01-31T00:00:00Z",
		},
		{y, "license", "creativeCommon", "video", insertVideo + " `status.license`", "license", "creativeCommon"},
		{y, "embeddable", false, "video", insertVideo + " `status.embeddable`", "embeddable", "false"},
		{
			y, "publicStatsViewable", false, "video", insertVideo + " `status.publicStatsViewable`", "publicStatsViewable",
			"false",
		},
		{
			y, "containsSyntheticMedia", true, "video", insertVideo + " `status.containsSyntheticMedia`",
			"containsSyntheticMedia", "true",
		},
		{
			y, "paidProductPlacement", true, "video", insertVideo + " `paidProductPlacementDetails.hasPaidProductPlacement`",
			"hasPaidProductPlacement", "true",
		},
		{y, "notifySubscribers", false, "video", insertVideo + " parameter `notifySubscribers`", "notifySubscribers", "false"},
		{
			y, "playlistId", playlistOfAccount, "video", "`playlistItems.insert` `snippet.playlistId`", "playlistId",
			playlistOfAccount,
		},

		{i, "contentType", "stories", "image Story", mediaEdge + " `media_type`", "product", "STORY"},
		{
			i, "collaborators",
			[]string{"nightowl.cycles"},
			"image", mediaEdge + " `collaborators`", "collaborators",
			"nightowl.cycles",
		},
		{i, "shareToFeed", false, "Reel", mediaEdge + " `share_to_feed`", "share_to_feed", "false"},
		{i, "altText", "A loaf of rye bread", "image", mediaEdge + " `alt_text`", "alt_text", "A loaf of rye bread"},
		{i, "coverMs", 1500, "Reel", mediaEdge + " `thumb_offset`", "thumb_offset", "1500"},

		{f, "contentType", "reels", "Reel", "`POST /{page}/video_reels` instead of `/videos`", "edge", "video_reels"},
		{f, "link", link, "link", "`POST /{page}/feed` `link`", "link", link},

		{h, "topicTag", "Rye bread", "image", threadsEdge + " `topic_tag`", "topic_tag", "Rye bread"},
		{h, "linkAttachment", link, "link", threadsEdge + " `link_attachment`", "link", link},
		{h, "altText", "A loaf of rye bread", "image", threadsEdge + " `alt_text`", "alt_text", "A loaf of rye bread"},
		{h, "replyControl", "mentioned_only", "image", notSent, "reply_control", ""},

		{
			k, "privacyLevel", "MUTUAL_FOLLOW_FRIENDS", "video", videoInit + " `privacy_level`", "privacy_level",
			"MUTUAL_FOLLOW_FRIENDS",
		},
		{k, "disableComment", true, "video", videoInit + " `disable_comment`", "disable_comment", "true"},
		{k, "disableDuet", true, "video", videoInit + " `disable_duet`", "disable_duet", "true"},
		{k, "disableStitch", true, "video", videoInit + " `disable_stitch`", "disable_stitch", "true"},
		{k, "coverMs", 1500, "video", videoInit + " `video_cover_timestamp_ms`", "video_cover_timestamp_ms", "1500"},
		{k, "autoAddMusic", true, "photos", photoInit + " `auto_add_music`", "auto_add_music", "true"},
		{k, "photoCoverIndex", 1, "photos", photoInit + " `photo_cover_index`", "photo_cover_index", "1"},
		{k, "brandContent", true, "video", videoInit + " `brand_content_toggle`", "brand_content_toggle", "true"},
		{k, "brandOrganic", true, "video", videoInit + " `brand_organic_toggle`", "brand_organic_toggle", "true"},
		{k, "aiGenerated", true, "video", videoInit + " `is_aigc`", "is_aigc", "true"},
	}
}

// playlistOfAccount stands for the id of a playlist of the account.
const playlistOfAccount = "PL…"

// The goal: "Each setting of the specification arrives at the network." The rows are held against the API's
// description, which is made of the networks' tables of fields, and printed into docs/networks/settings.md.
func TestEverySettingArrivesAtItsNetwork(t *testing.T) {
	t.Parallel()
	s := newService(t, allNetworks())
	s.serveUntilReady()
	checkEverySettingHasARow(t, s)
	checkSettingsDocument(t)
	press := s.newKindsPress(nil)
	playlist := "PL" + s.accountAt("youtube")[len("UC"):]

	kinds, rows := kindsWithSettings(t, playlist)
	t.Logf("%d settings in %d posts", len(settingRows()), len(rows))
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		sent := press.send(kinds[key], " with settings", "now")
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			post := press.inTest(t).waitForStatus(sent.id, "live", 2*time.Minute)
			for _, row := range rows[key] {
				row.checkArrived(t, sent, post)
			}
		})
	}
}

// kindsWithSettings returns the kinds of posts with all their settings, and the rows of these, by network and name.
func kindsWithSettings(t *testing.T, playlist string) (kinds map[string]kindOfPost, rows map[string][]settingRow) {
	t.Helper()
	kinds, rows = map[string]kindOfPost{}, map[string][]settingRow{}
	withImage := kindOfPost{
		network: "youtube", name: "video with an image", title: "Covered", files: []string{"wide.mp4", "tall.jpg"},
		shown: []string{"wide.mp4"},
	}
	for _, k := range append(kindsOfPosts(), withImage) {
		kinds[k.network+" "+k.name] = k
	}
	for _, row := range settingRows() {
		if row.value == playlistOfAccount {
			row.value, row.want = playlist, playlist
		}
		key := row.network + " " + row.kind
		k, known := kinds[key]
		if !known {
			t.Fatalf("%s of %s names the kind %q, which nobody sends", row.name, row.network, row.kind)
		}
		if rows[key] = append(rows[key], row); k.settings == nil {
			k.settings = fields{}
		}
		k.settings[row.name] = row.value
		kinds[key] = k
	}
	return kinds, rows
}

// accountAt is the network's id of the account that seed has connected.
func (s *service) accountAt(network string) string {
	s.t.Helper()
	posts := s.visiblePosts()
	i := slices.IndexFunc(posts, func(v visiblePost) bool { return v.Network == network })
	if i < 0 {
		s.t.Fatalf("%s shows no post of seed", network)
	}
	return posts[i].Account
}

// checkArrived waits until the network's record of the post has the setting: some are sent after the post is live.
func (row settingRow) checkArrived(t *testing.T, sent sentKind, post post) {
	t.Helper()
	want := row.want
	if sum := sent.press.sums[want]; sum != "" {
		want = sum
	}
	var got string
	arrived := waitUntil(30*time.Second, func() bool {
		shown := sent.shownAs(t, post)
		if got = shown.Extra[row.field]; row.field == "link" {
			got = shown.Link
		}
		return got == want
	})
	if !arrived {
		t.Errorf("%s: %v is sent, and %s has %q as its %s; want %q", row.name, row.value, row.network, got, row.field, want)
	}
}

// checkEverySettingHasARow compares the rows with the settings of the API's description.
func checkEverySettingHasARow(t *testing.T, s *service) {
	t.Helper()
	type schema struct {
		Ref        string `json:"$ref"`
		Properties map[string]schema
	}
	var described struct {
		Components struct{ Schemas map[string]schema }
	}
	_, _, raw := sendRequest(t, "GET", s.url+"/v1/openapi.json", nil, nil)
	if err := json.Unmarshal(raw, &described); err != nil {
		t.Fatal(err)
	}
	settings, rows := map[string]bool{}, map[string]bool{}
	schemas := described.Components.Schemas
	for network, block := range schemas["PlanPosts"].Properties["perPlatform"].Properties {
		for name := range schemas[strings.TrimPrefix(block.Ref, "#/components/schemas/")].Properties {
			settings[network+" "+name] = true
		}
	}
	for _, row := range settingRows() {
		rows[row.network+" "+row.name] = true
	}
	for name := range settings {
		if !rows[name] {
			t.Errorf("no row shows where %s arrives", name)
		}
	}
	for name := range rows {
		if !settings[name] {
			t.Errorf("there is a row of %s, which is no setting", name)
		}
	}
	if len(settings) < 30 {
		t.Errorf("the description has only %d settings", len(settings))
	}
}

const settingsDocument = "../docs/networks/settings.md"

// checkSettingsDocument holds docs/networks/settings.md to the tables of the tests.
func checkSettingsDocument(t *testing.T) {
	t.Helper()
	var text strings.Builder
	text.WriteString(`# Kinds of posts and their settings

The end-to-end tests publish every kind of post and compare every setting with what the simulated network has stored for
the post. To update this page, run ` + "`go test ./e2e/ -run TestEverySetting -update`" + `.

## Kinds of posts

| Network | Kind of post | Prepared before its publishing time |
|---|---|---|
`)
	for _, k := range kindsOfPosts() {
		ahead := "yes"
		if k.atItsTime {
			ahead = "no"
		}
		fmt.Fprintf(&text, "| %s | %s | %s |\n", k.network, k.name, ahead)
	}
	text.WriteString("\n## Settings\n\n| Network | Setting | Tested with | Kind of post | Sent as |\n|---|---|---|---|---|\n")
	for _, row := range settingRows() {
		value, err := json.Marshal(row.value)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "| %s | `%s` | `%s` | %s | %s |\n", row.network, row.name, value, row.kind, row.call)
	}
	if *update {
		if err := os.WriteFile(settingsDocument, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(settingsDocument)
	if err != nil || string(written) != text.String() {
		t.Errorf("%s is not what the tests say (%v): run this test with -update", settingsDocument, err)
	}
}
