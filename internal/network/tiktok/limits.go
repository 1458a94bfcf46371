package tiktok

import (
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
)

// Content types of a post; the files decide.
const (
	typeVideo = "video"
	typePhoto = "photo"
)

// The limits in networks/tiktok.md, part 4; the minimum of two photos is from Spec §1.9. TikTok does not document what
// it means by MB; powers of ten are the strictest reading.
const (
	maxCaption     = 2_200
	maxDescription = 4_000
	maxTitle       = 90
	minPhotos      = 2
	maxPhotos      = 35
)

var (
	photo = core.FileLimits{
		Bytes: 20_000_000, Formats: []string{"image/jpeg", "image/webp"}, MaxWidth: 1920, MaxHeight: 1920, MaxShortSide: 1080,
	}
	video = core.FileLimits{
		Bytes: 4_000_000_000, Formats: []string{"video/mp4", "video/quicktime"},
		MinWidth: 360, MinHeight: 360, MaxWidth: 4096, MaxHeight: 4096, MaxDurationMs: 600_000, MinFPS: 23, MaxFPS: 60,
		VideoCodecs: []core.Codec{core.CodecH264, core.CodecH265, core.CodecVP8, core.CodecVP9},
	}
)

var description = network.Description{
	ID: ID, Name: "TikTok", Profile: "profile",
	Ownership: "downloads photos only from an address that you have verified. In TikTok's developer portal, under URL properties, " +
		"add the URL prefix {prefix}. Then set BELFRY_VERIFICATION_FILES to the name and content of the file that TikTok " +
		"gives you, in the form NAME:CONTENT. Restart the service, and select Verify in the portal.",
	Needs: "You need a TikTok account. Until TikTok has audited this server's app, the account must be private, and only you can see the posts.",
	Limits: core.Limits{
		Text:  core.Count{Max: maxCaption, Unit: core.UnitUTF16},
		Title: &core.Count{Max: maxTitle, Unit: core.UnitUTF16},
		ContentTypes: map[string]core.ContentType{
			typeVideo: {Min: 1, Max: 1, Video: &video},
			typePhoto: {
				Min: minPhotos, Max: maxPhotos, Image: &photo, Text: &core.Count{Max: maxDescription, Unit: core.UnitUTF16},
			},
		},
	},
	Fields:     fields,
	NoLink:     "TikTok provides links only for public posts.",
	ProfileURL: siteURL + "/@{username}",
	FirstPoll:  5 * time.Second,
}
