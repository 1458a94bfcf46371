package instagramsim_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"belfry/internal/network/instagram/instagramsim"
	"belfry/internal/network/sim"
)

func TestEachKindGoesLiveOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, u user) {
		host := mediaHost(t)
		var children []string
		for _, v := range []url.Values{
			{"image_url": {host + "/a.jpg"}, "is_carousel_item": {"true"}, "alt_text": {"A roll"}},
			{"video_url": {host + "/a.mp4"}, "is_carousel_item": {"true"}, "media_type": {"VIDEO"}},
		} {
			children = append(children, u.create(v))
		}
		u.publish(children[0]).refused("100", "", "carousel item")
		cases := []struct {
			params               url.Values
			path, kind, product  string
			collaborators, cover string
		}{
			{
				url.Values{
					"image_url": {host + "/a.jpg"}, "caption": {"Bread #rolls"}, "alt_text": {"A roll"},
					"collaborators": {`["maren.writes","nightowl.cycles"]`},
				},
				"/p/", "IMAGE", "FEED", "maren.writes,nightowl.cycles", "",
			},
			{
				url.Values{
					"video_url": {host + "/a.mp4"}, "media_type": {"REELS"}, "caption": {"Baking"}, "share_to_feed": {"false"},
					"thumb_offset": {"1500"}, "collaborators": {"maren.writes"},
				},
				"/reel/", "VIDEO", "REELS", "maren.writes", "1500",
			},
			{url.Values{"image_url": {host + "/tall.jpg"}, "media_type": {"STORIES"}}, "/stories/harbour.bakery/", "IMAGE", "STORY", "", ""},
			{url.Values{"video_url": {host + "/a.mp4"}, "media_type": {"STORIES"}}, "/stories/harbour.bakery/", "VIDEO", "STORY", "", ""},
			{
				url.Values{"media_type": {"CAROUSEL"}, "children": {strings.Join(children, ",")}, "caption": {"Both"}},
				"/p/", "CAROUSEL_ALBUM", "FEED", "", "",
			},
		}
		for i, c := range cases {
			container := u.create(c.params)
			media := u.publish(container).text("id")
			all := u.kit.Posts.All()
			if len(all) != i+1 || media == container {
				t.Fatalf("%s: %d posts, media %s", c.path, len(all), media)
			}
			p := all[i]
			if p.ID != media || p.Text != c.params.Get("caption") || p.Extra["collaborators"] != c.collaborators ||
				p.Extra["thumb_offset"] != c.cover || p.Extra["share_to_feed"] != c.params.Get("share_to_feed") {
				t.Errorf("visible: %+v", p)
			}
			a := u.get(media + "?fields=id,permalink,shortcode,media_type,media_product_type,timestamp,caption")
			if a.text("media_type") != c.kind || a.text("media_product_type") != c.product || a.text("permalink") != p.URL ||
				!strings.HasPrefix(p.URL, "https://www.instagram.com"+c.path) || !strings.Contains(p.URL, a.text("shortcode")) {
				t.Errorf("read back: %s", a.body)
			}
			if page := u.call("GET", p.URL, "", nil); page.status != http.StatusOK || !strings.Contains(page.body, p.Text) ||
				!strings.Contains(page.body, "0 views") {
				t.Errorf("%s answered %d", p.URL, page.status)
			}
			if a := u.get(container + "?fields=status_code"); a.text("status_code") != "PUBLISHED" {
				t.Errorf("container %s", a.body)
			}
			u.publish(container).refused("24", "2207006", "")
			u.forward(time.Minute)
		}
		if got := u.kit.Posts.All()[4]; len(got.Media) != 2 || got.Media[0].Alt != "A roll" || got.Media[1].Kind != sim.MP4 {
			t.Errorf("carousel %+v", got.Media)
		}
		kinds := func(edge string) string {
			var all []string
			for _, node := range u.get(u.id + "/" + edge + "?fields=media_type").json["data"].([]any) {
				all = append(all, node.(map[string]any)["media_type"].(string))
			}
			return strings.Join(all, " ")
		}
		if kinds("media") != "CAROUSEL_ALBUM VIDEO IMAGE" || kinds("stories") != "VIDEO IMAGE" {
			t.Errorf("media %q, stories %q", kinds("media"), kinds("stories"))
		}
		limit := u.get(u.id + "/content_publishing_limit?fields=quota_usage,config").body
		if !strings.Contains(limit, `"quota_usage":5`) || !strings.Contains(limit, `"quota_total":100`) {
			t.Errorf("limit: %s", limit)
		}
		u.forward(day)
		if got := u.call("GET", u.kit.Posts.All()[2].URL, "", nil).status; got != http.StatusNotFound || kinds("stories") != "" {
			t.Errorf("a Story of yesterday answered %d, listed %q", got, kinds("stories"))
		}
		profile := u.call("GET", "https://www.instagram.com/harbour.bakery/", "", nil)
		if !strings.Contains(profile.body, "Baking") || !strings.Contains(profile.body, "followers") {
			t.Errorf("the profile answered %d", profile.status)
		}
	})
}

func TestContainerRules(t *testing.T) {
	t.Parallel()
	host := mediaHost(t)
	image, reel := host+"/a.jpg", host+"/a.mp4"
	cases := map[string]struct {
		params              url.Values
		code, subcode, says string // empty code: accepted
	}{
		"nothing":                    {url.Values{}, "100", "", "image_url is required"},
		"a text":                     {url.Values{"caption": {"a"}}, "100", "", "image_url is required"},
		"a video as a feed post":     {url.Values{"media_type": {"VIDEO"}, "video_url": {reel}}, "100", "2207023", "VIDEO"},
		"an unknown type":            {url.Values{"media_type": {"IMAGE"}, "image_url": {image}}, "100", "2207023", "IMAGE"},
		"an unknown parameter":       {url.Values{"image_url": {image}, "text": {"a"}}, "100", "", "text"},
		"2,200 characters":           {url.Values{"image_url": {image}, "caption": {strings.Repeat("ж", 2200)}}, "", "", ""},
		"2,201 characters":           {url.Values{"image_url": {image}, "caption": {strings.Repeat("a", 2201)}}, "36004", "2207010", "too long"},
		"30 hashtags":                {url.Values{"image_url": {image}, "caption": {strings.Repeat("#a ", 30)}}, "", "", ""},
		"31 hashtags":                {url.Values{"image_url": {image}, "caption": {strings.Repeat("#a ", 31)}}, "100", "2207040", "hashtags"},
		"21 mentions":                {url.Values{"image_url": {image}, "caption": {strings.Repeat("@a ", 21)}}, "100", "2207040", "tags"},
		"broken UTF-8":               {url.Values{"image_url": {image}, "caption": {"a\xff"}}, "100", "", "UTF-8"},
		"a caption of an item":       {url.Values{"image_url": {image}, "caption": {"a"}, "is_carousel_item": {"true"}}, "100", "", "caption"},
		"a caption of a Story":       {url.Values{"image_url": {image}, "caption": {"a"}, "media_type": {"STORIES"}}, "100", "", "caption"},
		"collaborators of an item":   {url.Values{"image_url": {image}, "collaborators": {"a"}, "is_carousel_item": {"true"}}, "100", "", "param collaborators is not allowed"},
		"four collaborators":         {url.Values{"image_url": {image}, "collaborators": {"a,b,c,d"}}, "100", "", "collaborators"},
		"1,000 characters of alt":    {url.Values{"image_url": {image}, "alt_text": {strings.Repeat("ж", 1000)}}, "", "", ""},
		"1,001 characters of alt":    {url.Values{"image_url": {image}, "alt_text": {strings.Repeat("a", 1001)}}, "100", "", "alt_text"},
		"alt of a Reel":              {url.Values{"video_url": {reel}, "media_type": {"REELS"}, "share_to_feed": {"true"}, "alt_text": {"a"}}, "100", "", "alt_text"},
		"a Reel":                     {url.Values{"video_url": {reel}, "media_type": {"REELS"}, "share_to_feed": {"true"}}, "", "", ""},
		"a Reel that says not where": {url.Values{"video_url": {reel}, "media_type": {"REELS"}}, "100", "", "share_to_feed"},
		"a cover before the film":    {url.Values{"video_url": {reel}, "media_type": {"REELS"}, "share_to_feed": {"true"}, "thumb_offset": {"-1"}}, "1", "2207057", "within"},
		"a Reel without a film":      {url.Values{"media_type": {"REELS"}, "share_to_feed": {"true"}}, "100", "", "video_url is required"},
		"a film nowhere":             {url.Values{"video_url": {"reel.mp4"}, "media_type": {"REELS"}, "share_to_feed": {"true"}}, "100", "", "video_url"},
		"a Reel as an item":          {url.Values{"video_url": {reel}, "media_type": {"REELS"}, "is_carousel_item": {"true"}}, "100", "2207023", "REELS"},
		"a carousel of one":          {url.Values{"media_type": {"CAROUSEL"}, "children": {"1"}}, "100", "2207028", "2 to 10"},
		"a carousel of eleven":       {url.Values{"media_type": {"CAROUSEL"}, "children": {"1,2,3,4,5,6,7,8,9,10,11"}}, "100", "2207028", "2 to 10"},
		"a carousel of strangers":    {url.Values{"media_type": {"CAROUSEL"}, "children": {"1,2"}}, "100", "33", "does not exist"},
		"an image that is a PNG":     {url.Values{"image_url": {host + "/a.png"}}, "36001", "2207005", "JPEG"},
		"a page for an image":        {url.Values{"image_url": {host + "/page.jpg"}}, "36001", "2207005", "JPEG"},
		"an image over 8 MiB":        {url.Values{"image_url": {host + "/large.jpg"}}, "36000", "2207004", "8 MiB"},
		"a tall image":               {url.Values{"image_url": {host + "/tall.jpg"}}, "36003", "2207009", "aspect ratio"},
		"a tall Story":               {url.Values{"image_url": {host + "/tall.jpg"}, "media_type": {"STORIES"}}, "", "", ""},
		"an image that is gone":      {url.Values{"image_url": {host + "/gone.jpg"}}, "9004", "2207052", "Only photo or video"},
		"an image in a private net":  {url.Values{"image_url": {"http://10.0.0.1/a.jpg"}}, "9004", "2207052", "Only photo or video"},
		"a cover of its own":         {url.Values{"video_url": {reel}, "media_type": {"REELS"}, "cover_url": {image}}, "100", "", "cover_url"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := start(t).own("harbour.bakery")
			a := u.post("me/media", c.params)
			if c.code != "" {
				a.refused(c.code, c.subcode, c.says)
				return
			}
			if id := a.text("id"); id == "" || len(u.kit.Posts.All()) != 0 {
				t.Errorf("answered %s, posts %v", a.body, u.kit.Posts.All())
			}
		})
	}
}

func TestVideosAreJudgedWhenTheyAreFetched(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ kind, file, cover, code string }{
		"a Reel":                {"REELS", "/a.mp4", "", ""},
		"a cover in the film":   {"REELS", "/a.mp4", "4999", ""},
		"a cover after the end": {"REELS", "/a.mp4", "5000", "2207057"},
		"two seconds":           {"REELS", "/blink.mp4", "", "2207026"},
		"61 seconds":            {"REELS", "/minute.mp4", "", ""},
		"a Story of 61 seconds": {"STORIES", "/minute.mp4", "", "2207026"},
		"over 15 minutes":       {"REELS", "/long.mp4", "", "2207026"},
		"VP9":                   {"REELS", "/vp9.mp4", "", "2207026"},
		"15 pictures a second":  {"REELS", "/slow.mp4", "", "2207026"},
		"too wide":              {"REELS", "/wide.mp4", "", "2207026"},
		"a page for a film":     {"REELS", "/page.mp4", "", "2207026"},
		"a film that is gone":   {"REELS", "/gone.mp4", "", "2207076"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := start(t).linked(bakery)
			v := url.Values{"media_type": {c.kind}, "video_url": {mediaHost(t) + c.file}}
			if c.kind == "REELS" {
				v.Set("share_to_feed", "true")
			}
			if c.cover != "" {
				v.Set("thumb_offset", c.cover)
			}
			id := u.post(u.id+"/media", v).text("id")
			a := u.settled(id)
			if c.code == "" {
				if a.text("status_code") != "FINISHED" {
					t.Errorf("container %s", a.body)
				}
				return
			}
			if a.text("status_code") != "ERROR" || !strings.HasSuffix(a.text("status"), "with error code "+c.code) {
				t.Errorf("container %s, want %s", a.body, c.code)
			}
			u.publish(id).refused("24", "2207006", "")
		})
	}
}

func TestContainersLiveADayAndAreCounted(t *testing.T) {
	t.Parallel()
	u := start(t).own("harbour.bakery")
	image := url.Values{"image_url": {mediaHost(t) + "/a.jpg"}}
	u.option(instagramsim.OptProcess, "60")
	id := u.post("me/media", image).text("id")
	state := func() string { return u.get(id + "?fields=status_code").text("status_code") }
	if got := state(); got != "IN_PROGRESS" {
		t.Errorf("a new container is %s", got)
	}
	u.publish(id).refused("9007", "2207027", "not available")
	u.forward(time.Minute)
	if got := state(); got != "FINISHED" {
		t.Errorf("after a minute it is %s", got)
	}
	stranger := u.own("nightowl.cycles")
	stranger.get(id).refused("100", "33", "does not exist")
	stranger.publish(id).refused("24", "2207008", "")
	u.forward(day)
	if got := state(); got != "EXPIRED" {
		t.Errorf("after a day it is %s", got)
	}
	u.publish(id).refused("24", "2207008", "")
	if got := u.kit.Posts.All(); len(got) != 0 {
		t.Errorf("posts appeared: %v", got)
	}
	u.option(instagramsim.OptProcess, "0")
	u.option(instagramsim.OptQuota, "1")
	used := u.create(image)
	u.publish(used).text("id")
	u.publish(u.create(image)).refused("9", "2207042", "limit")
	story := url.Values{"media_type": {"STORIES"}, "video_url": {"http://127.0.0.1:1/gone.mp4"}}
	for range 398 {
		u.post("me/media", story).text("id")
	}
	u.post("me/media", story).refused("9", "2207042", "limit")
	u.forward(day)
	u.publish(u.create(image)).text("id")
	u.get(used).refused("100", "33", "does not exist")
	u.publish(used).refused("24", "2207008", "")
}

func TestReelsArePushedWithPagesOnly(t *testing.T) {
	t.Parallel()
	pushed := url.Values{"media_type": {"REELS"}, "share_to_feed": {"true"}, "upload_type": {"resumable"}}
	own := start(t).own("harbour.bakery")
	own.post("me/media", pushed).refused("100", "", "The parameter video_url is required")

	u := start(t).linked(bakery)
	a := u.post(u.id+"/media", pushed)
	id, uri := a.text("id"), a.text("uri")
	if uri != "https://rupload.facebook.com/ig-api-upload/v26.0/"+id {
		t.Errorf("uri %s", uri)
	}
	film := files["/a.mp4"]
	size := strconv.Itoa(len(film))
	problem := func(a answer, want string) {
		t.Helper()
		info, _ := a.json["debug_info"].(map[string]any)
		if a.status != 400 || info["type"] != want {
			t.Errorf("want %s, got %d %s", want, a.status, a.body)
		}
	}
	part := func(from, to int) io.Reader { return strings.NewReader(string(film[from:to])) }
	problem(u.upload(uri, part(0, len(film)), "offset", "0"), "PartialRequestError")
	problem(u.upload(uri, part(10, 20), "offset", "10", "file_size", size), "OffsetInvalidError")
	problem(u.upload(uri, part(0, 20), "offset", "0", "file_size", size), "PartialRequestError")
	broken := io.MultiReader(part(0, 100), iotest.ErrReader(io.ErrUnexpectedEOF))
	problem(u.upload(uri, broken, "offset", "0", "file_size", size), "PartialRequestError")
	status := u.get(id + "?fields=status_code,video_status").body
	if !strings.Contains(status, `"bytes_transferred":100`) || !strings.Contains(status, "IN_PROGRESS") {
		t.Errorf("half of it: %s", status)
	}
	u.linked(choir).upload(uri, part(100, len(film)), "offset", "100", "file_size", size).refused("100", "33", "")
	if a := u.upload(uri, part(100, len(film)), "offset", "100", "file_size", size); a.json["success"] != true {
		t.Errorf("the rest: %d %s", a.status, a.body)
	}
	problem(u.upload(uri, part(0, len(film)), "offset", "0", "file_size", size), "ProcessingFailedError")
	if a := u.settled(id); a.text("status_code") != "FINISHED" {
		t.Errorf("container %s", a.body)
	}
	u.publish(id).text("id")
	if all := u.kit.Posts.All(); len(all) != 1 || all[0].Media[0].Bytes != int64(len(film)) {
		t.Errorf("visible %+v", all)
	}
	hosted := u.post(u.id+"/media", pushed)
	u.upload(hosted.text("uri"), nil, "file_url", mediaHost(t)+"/a.mp4").succeeds()
	if a := u.settled(hosted.text("id")); a.text("status_code") != "FINISHED" {
		t.Errorf("a hosted file: %s", a.body)
	}
	u.token = "EAAnonsense"
	u.upload(uri, part(0, 1), "offset", "0", "file_size", size).refused("190", "", "Cannot parse")
}

// documented are the codes of networks/instagram.md, parts 1d and 5.
var documented = [][2]int{
	{-2, 2207003},
	{-2, 2207020},
	{-1, 2207001},
	{-1, 2207032},
	{-1, 2207053},
	{1, 0},
	{2, 0},
	{1, 2207057},
	{4, 0},
	{17, 0},
	{32, 0},
	{341, 0},
	{613, 0},
	{80002, 0},
	{4, 2207051},
	{9, 2207042},
	{24, 2207006},
	{24, 2207008},
	{25, 2207050},
	{100, 2207023},
	{100, 2207028},
	{100, 2207040},
	{100, 33},
	{100, 0},
	{352, 2207026},
	{9004, 2207052},
	{9007, 2207027},
	{36000, 2207004},
	{36001, 2207005},
	{36003, 2207009},
	{36004, 2207010},
	{368, 0},
	{10, 0},
	{200, 0},
	{299, 0},
	{102, 0},
	{190, 0},
	{190, 458},
	{190, 459},
	{190, 460},
	{190, 463},
	{190, 464},
	{190, 467},
	{190, 492},
	{0, 2207081},
}

func TestEveryDocumentedErrorCanBeScripted(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, u user) {
		id := u.create(url.Values{"image_url": {mediaHost(t) + "/a.jpg"}})
		for _, c := range documented {
			f := sim.Fault{Network: "instagram", Call: "publish", Kind: sim.Error, Code: c[0], Subcode: c[1]}
			if c[0] == 0 {
				f.Kind = sim.Reject // an error needs a code; a refusal has one
			}
			if _, err := u.kit.Faults.Add(f); err != nil {
				t.Fatal(err)
			}
			code, subcode := fmt.Sprint(c[0]), fmt.Sprint(c[1])
			if c[0] == 0 {
				code = "100"
			}
			if c[1] == 0 {
				subcode = ""
			}
			u.publish(id).refused(code, subcode, "")
		}
		if _, err := u.kit.Faults.Add(sim.Fault{Call: "publish", Kind: sim.RateLimited, RetryAfter: 90}); err != nil {
			t.Fatal(err)
		}
		a := u.publish(id)
		a.refused("80002", "", "limit")
		if use := a.header.Get("X-Business-Use-Case-Usage"); !strings.Contains(use, `"type":"instagram"`) ||
			!strings.Contains(use, `"estimated_time_to_regain_access":2`) {
			t.Errorf("usage %q", use)
		}
		if got := u.kit.Posts.All(); len(got) != 0 {
			t.Errorf("posts appeared: %v", got)
		}
		u.publish(id).text("id")
	})
}

func TestAnErrorMayHideAPostThatWentLive(t *testing.T) {
	t.Parallel()
	u := start(t).own("harbour.bakery")
	id := u.create(url.Values{"image_url": {mediaHost(t) + "/a.jpg"}})
	if _, err := u.kit.Faults.Add(
		sim.Fault{Call: "publish", Kind: sim.NotReadyRace}, sim.Fault{Call: "publish", Kind: sim.ServerError, Accept: true},
	); err != nil {
		t.Fatal(err)
	}
	u.publish(id).refused("24", "2207008", "")
	u.publish(id).refused("2", "", "")
	if all := u.kit.Posts.All(); len(all) != 1 || all[0].PublishCalls != 2 {
		t.Errorf("visible %+v", all)
	}
	u.option(instagramsim.OptRepeatPublish, instagramsim.RepeatSameID)
	if got := u.publish(id).text("id"); got != u.kit.Posts.All()[0].ID {
		t.Errorf("a repeated publish answered %s", got)
	}
	if all := u.kit.Posts.All(); len(all) != 1 || all[0].PublishCalls != 3 {
		t.Errorf("visible %+v", all)
	}
}

func TestListsAreLateWhenAskedTo(t *testing.T) {
	t.Parallel()
	u := start(t).own("harbour.bakery")
	u.option(instagramsim.OptListDelay, "30")
	u.publish(u.create(url.Values{"image_url": {mediaHost(t) + "/a.jpg"}})).text("id")
	listed := func(query string) int { return len(u.get("me/media" + query).json["data"].([]any)) }
	if n := listed(""); n != 0 {
		t.Errorf("%d listed at once", n)
	}
	u.forward(30 * time.Second)
	if n := listed("?since=" + strconv.FormatInt(u.now.Add(-time.Minute).Unix(), 10)); n != 1 {
		t.Errorf("%d listed after the delay", n)
	}
	if n := listed("?since=" + strconv.FormatInt(u.now.Unix(), 10)); n != 0 {
		t.Errorf("%d listed of what is older", n)
	}
	u.get("me/media?limit=0").refused("100", "", "limit")
	u.get("me/content_publishing_limit?since=1").refused("100", "", "24 hours")
}

func TestInsights(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, u user) {
		media := u.publish(u.create(url.Values{"image_url": {mediaHost(t) + "/a.jpg"}})).text("id")
		u.forward(40 * day)
		now := u.now.Unix()
		span := fmt.Sprintf("&since=%d&until=%d", now-7*86_400, now)
		value := func(a answer) float64 {
			t.Helper()
			if a.status != http.StatusOK {
				t.Fatalf("answered %d %s", a.status, a.body)
			}
			node := a.json["data"].([]any)[0].(map[string]any)
			v, isTotal := node["total_value"].(map[string]any)
			if !isTotal {
				v = node["values"].([]any)[0].(map[string]any)
			}
			n, _ := strconv.ParseFloat(fmt.Sprint(v["value"]), 64)
			return n
		}
		me := u.id + "/insights?"
		if n := value(u.get(me + "metric=views&period=day&metric_type=total_value" + span)); n < 1 {
			t.Errorf("views %v", n)
		}
		series := u.get(me + "metric=reach,follower_count&period=day&metric_type=time_series" + span)
		if got := len(series.json["data"].([]any)[0].(map[string]any)["values"].([]any)); got != 8 {
			t.Errorf("%d days: %s", got, series.body)
		}
		u.get(me+"metric=views&period=day&metric_type=time_series"+span).refused("100", "", "must be one of")
		u.get(me+"metric=impressions&period=day&metric_type=total_value"+span).refused("100", "", "must be one of")
		long := fmt.Sprintf("&since=%d&until=%d", now-31*86_400, now)
		u.get(me+"metric=views&period=day&metric_type=total_value"+long).refused("100", "", "30 days (2592000 s)")
		people := u.get(me + "metric=follower_demographics&period=lifetime&metric_type=total_value&breakdown=country&timeframe=this_month")
		if !strings.Contains(people.body, `"dimension_keys":["timeframe","country"]`) || !strings.Contains(people.body, `"DE"`) {
			t.Errorf("demographics %s", people.body)
		}
		if n := value(u.get(media + "/insights?metric=views,reach,likes,comments,saved,shares,total_interactions")); n < 1 {
			t.Errorf("views of a post %v", n)
		}
		u.get(media+"/insights?metric=views,saves").refused("100", "", "must be one of")
		story := u.publish(u.create(url.Values{"image_url": {mediaHost(t) + "/a.jpg"}, "media_type": {"STORIES"}})).text("id")
		u.get(story+"/insights?metric=views").refused("10", "", "Not enough viewers")
	})
	r := start(t)
	token := r.long(url.Values{"username": {"harbour.bakery"}, "withhold": {"instagram_business_manage_insights"}})
	blind := user{rig: r, graph: ownGraph, token: token}
	blind.get("me/insights?metric=reach&period=day").refused("10", "", "instagram_business_manage_insights")
}

func TestARestartForgetsNothing(t *testing.T) {
	t.Parallel()
	journal := filepath.Join(t.TempDir(), "sandbox.jsonl")
	host := mediaHost(t)
	image := url.Values{"image_url": {host + "/a.jpg"}}
	r := startAt(t, journal)
	own, linked := r.own("a.newcomer"), r.linked(bakery)
	own.publish(own.create(image)).text("id")
	waiting := linked.create(image)
	pushed := linked.post(linked.id+"/media", url.Values{"media_type": {"REELS"}, "share_to_feed": {"true"}, "upload_type": {"resumable"}})
	film := files["/a.mp4"]
	size := strconv.Itoa(len(film))
	broken := io.MultiReader(strings.NewReader(string(film[:50])), iotest.ErrReader(io.ErrUnexpectedEOF))
	linked.upload(pushed.text("uri"), broken, "offset", "0", "file_size", size)
	fetched := own.post("me/media", url.Values{"media_type": {"STORIES"}, "video_url": {host + "/a.mp4"}}).text("id")
	before := r.kit.Posts.All()
	if err := r.kit.Close(); err != nil {
		t.Fatal(err)
	}
	again := startAt(t, journal)
	own.rig, linked.rig = again, again
	if after := again.kit.Posts.All(); !reflect.DeepEqual(after, before) || len(after) != 1 {
		t.Errorf("visible posts changed:\n%+v\n%+v", before, after)
	}
	if a := own.settled(fetched); a.text("status_code") != "FINISHED" {
		t.Errorf("the download does not go on: %s", a.body)
	}
	linked.publish(waiting).text("id")
	linked.publish(waiting).refused("24", "2207006", "")
	rest := strings.NewReader(string(film[50:]))
	linked.upload(pushed.text("uri"), rest, "offset", "50", "file_size", size).succeeds()
	linked.publish(pushed.text("id")).text("id")
	if a := own.get("me?fields=username"); a.text("username") != "a.newcomer" || len(again.kit.Posts.All()) != 3 {
		t.Errorf("profile %s, posts %v", a.body, again.kit.Posts.All())
	}
}
