package e2e

import (
	"bytes"
	"compress/zlib"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/media/mediatest"
)

// converted is a picture that a network shows in place of a file.
type converted struct {
	name          string
	width, height int
}

// convertedPosts are posts with pictures in formats that their networks refuse.
var convertedPosts = []struct {
	kindOfPost
	shown []converted
}{
	{
		kindOfPost{network: "instagram", name: "carousel", files: []string{"harbour.png", "square.jpg", "sand.webp"}},
		[]converted{{"harbour.png", 1440, 1152}, {}, {"sand.webp", 1200, 900}},
	},
	{
		kindOfPost{
			network: "instagram", name: "Story", files: []string{"harbour.png"}, wordless: true,
			settings: fields{"contentType": "stories"},
		},
		[]converted{{"harbour.png", 1440, 1152}},
	},
	{
		kindOfPost{network: "facebook", name: "photos", files: []string{"sand.webp", "square.jpg"}},
		[]converted{{"sand.webp", 1200, 900}, {}},
	},
	{
		kindOfPost{
			network: "facebook", name: "photo Story", files: []string{"sand.webp"}, wordless: true,
			settings: fields{"contentType": "stories"},
		},
		[]converted{{"sand.webp", 1200, 900}},
	},
	{kindOfPost{network: "threads", name: "image", files: []string{"sand.webp"}}, []converted{{"sand.webp", 1200, 900}}},
	{
		kindOfPost{
			network: "tiktok", name: "photos", title: "Two", files: []string{"harbour.png", "square.jpg"},
			settings: fields{"privacyLevel": "PUBLIC_TO_EVERYONE"},
		},
		[]converted{{"harbour.png", 1350, 1080}, {}},
	},
}

// harbourPNG is sea and sky, and a transparent corner. It has a color profile.
func harbourPNG(t *testing.T) []byte {
	t.Helper()
	picture := image.NewNRGBA(image.Rect(0, 0, 2000, 1600))
	for y := range 1600 {
		for x := range 2000 {
			switch {
			case x < 400 && y < 400:
				picture.SetNRGBA(x, y, color.NRGBA{200, 0, 0, 0})
			case y < 800:
				picture.SetNRGBA(x, y, color.NRGBA{120, 180, 230, 255})
			default:
				picture.SetNRGBA(x, y, color.NRGBA{10, 60, 90, 255})
			}
		}
	}
	var to bytes.Buffer
	if err := png.Encode(&to, picture); err != nil {
		t.Fatal(err)
	}
	const headerEnd = 33
	plain := to.Bytes()
	return slices.Concat(plain[:headerEnd], profileChunk(t), plain[headerEnd:])
}

// displayProfile returns bytes that look like the color profile of a display.
func displayProfile() []byte {
	profile := make([]byte, 548)
	copy(profile[12:], "mntrRGB XYZ ")
	copy(profile[36:], "acsp")
	copy(profile[400:], "Display P3")
	return profile
}

// profileChunk returns the chunk of a PNG with displayProfile.
func profileChunk(t *testing.T) []byte {
	t.Helper()
	body := bytes.NewBufferString("iCCPDisplay P3\x00\x00")
	packed := zlib.NewWriter(body)
	if _, err := packed.Write(displayProfile()); err != nil {
		t.Fatal(err)
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(mediatest.Words(body.Len()-len("iCCP")), body.Bytes(),
		mediatest.Words(int(crc32.ChecksumIEEE(body.Bytes()))))
}

// Pictures in formats that a network refuses arrive there as JPEG, and nothing else is converted.
func TestPicturesArriveAsJPEGWhereTheirFormatIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t, allNetworks())
	s.serveUntilReady()
	press := s.newKindsPress(nil)
	for name, content := range map[string][]byte{"harbour.png": harbourPNG(t), "sand.webp": mediatest.WebP(1200, 900)} {
		press.media[name] = press.uploadFile(name, content).MediaID
		press.waitForFile(t, press.media[name])
	}
	body := newPostBody("A plan", "now", press.accounts["instagram"])
	delete(body, "confirm")
	body["mediaIds"] = []string{press.media["harbour.png"], press.media["square.jpg"]}
	plan := press.do("POST", "/posts/plan", body).requireStatus(t, 200).Raw
	if !strings.Contains(plan, `"images_converted"`) || !strings.Contains(plan, "Belfry sends harbour.png to Instagram in JPEG format.") ||
		!strings.Contains(plan, `"issues":[]`) {
		t.Errorf("the plan: %s", plan)
	}
	var sent []sentKind
	for _, k := range convertedPosts {
		sent = append(sent, press.send(k.kindOfPost, " of converted files", "now"))
	}
	for i, post := range sent {
		t.Run(post.label, func(t *testing.T) {
			shown := post.shownAs(t, press.inTest(t).waitForStatus(post.id, "live", 2*time.Minute))
			if len(shown.Media) != len(convertedPosts[i].shown) || shown.PublishCalls != 1 {
				t.Fatalf("%+v", shown)
			}
			for n, want := range convertedPosts[i].shown {
				if sum := shown.Media[n].SHA256; want.name != "" {
					s.checkConverted(t, sum, want)
				} else if sum != press.sums["square.jpg"] {
					t.Errorf("file %d is not the one that was uploaded", n)
				}
			}
		})
	}
}

// checkConverted checks a file that has arrived at the simulated networks.
func (s *service) checkConverted(t *testing.T, sum string, want converted) {
	t.Helper()
	status, _, raw := sendRequest(t, "GET", s.networks+"/www.instagram.com/media/"+sum, nil, nil)
	if status != 200 {
		t.Fatalf("the network's copy: %d", status)
	}
	got, err := jpeg.Decode(bytes.NewReader(raw))
	if err != nil || bytes.Contains(raw[:1000], []byte{0xff, 0xc2}) {
		t.Fatalf("%s did not arrive as a baseline JPEG: %v", want.name, err)
	}
	if size := got.Bounds().Size(); size != (image.Point{want.width, want.height}) {
		t.Errorf("%s arrived with %v; want %d by %d", want.name, size, want.width, want.height)
	}
	colors := map[image.Point]color.RGBA{{X: 10, Y: 10}: {240, 180, 40, 255}}
	if want.name == "harbour.png" {
		if !bytes.Contains(raw, append([]byte("ICC_PROFILE\x00\x01\x01"), displayProfile()...)) {
			t.Error("harbour.png arrived without its color profile")
		}
		colors = map[image.Point]color.RGBA{
			{X: 100, Y: 100}: {255, 255, 255, 255}, {X: want.width - 9, Y: 9}: {120, 180, 230, 255},
			{X: 9, Y: want.height - 9}: {10, 60, 90, 255},
		}
	}
	for at, want := range colors {
		r, g, b, _ := got.At(at.X, at.Y).RGBA()
		for i, part := range []uint32{r, g, b} {
			if off := int(part>>8) - int([]uint8{want.R, want.G, want.B}[i]); slices.Max([]int{off, -off}) > 4 {
				t.Errorf("at %v, it is %d %d %d; want %v", at, r>>8, g>>8, b>>8, want)
				break
			}
		}
	}
}
