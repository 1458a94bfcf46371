package network

// Previewer is a network that has its own preview. Posts on other networks get a plain preview.
type Previewer interface {
	// Preview returns how a phone shows the draft, even if the network would refuse it.
	Preview(d Draft) Preview
}

// Preview describes how a network shows a post on a phone. Package views/preview renders it.
type Preview struct {
	// Kind is the network's name for such a post in running text, such as video or Reel.
	Kind string
	// Parts are shown from top to bottom. If the media fill the screen, the parts before the media overlay the top,
	// and the parts after the media overlay the bottom.
	Parts []PreviewPart
	// Fills is true if the media fill the screen.
	Fills bool
	// Several is how multiple files are arranged.
	Several Arrangement
	// MinRatio and MaxRatio limit the aspect ratio (width divided by height) of the media, which are cropped to fit; 0
	// for no limit.
	MinRatio, MaxRatio float64
	// Cover is the number of the file, from 1, that is shown as the video's thumbnail; 0 for none.
	Cover int

	// ByUsername is true if the network shows the account's username instead of its name.
	ByUsername bool
	Topic      string
	Title      string
	Text       string
	// Fold is how many characters of the text are shown before it is cut; 0 for all.
	Fold int
	// Link is shown as a card; "" for none.
	Link    string
	Actions []PreviewAction
}

// PreviewPart is a part of a post as its network shows it.
type PreviewPart string

// Parts of a post.
const (
	PartAccount PreviewPart = "account"
	PartTitle   PreviewPart = "title"
	PartText    PreviewPart = "text"
	PartMedia   PreviewPart = "media"
	PartLink    PreviewPart = "link"
	PartActions PreviewPart = "actions"
)

// Arrangement is how several files are shown.
type Arrangement string

// Arrangements.
const (
	Slides Arrangement = "slides" // one at a time
	Tiles  Arrangement = "tiles"  // all at once
	Row    Arrangement = "row"    // side by side, to scroll through
)

// PreviewAction is an action on the post: the name of its icon, and its label if it has one.
type PreviewAction struct{ Icon, Word string }

// Actions that several networks share.
var (
	ActionLike    = PreviewAction{Icon: "heart"}
	ActionComment = PreviewAction{Icon: "message-circle"}
	ActionShare   = PreviewAction{Icon: "forward"}
	ActionSend    = PreviewAction{Icon: "send"}
	ActionSave    = PreviewAction{Icon: "bookmark"}
)

// Aspect ratios (width divided by height) that phones show.
const (
	RatioPortrait = 4.0 / 5
	RatioWide     = 16.0 / 9
)

// BuildPreview returns how a network shows a draft.
func BuildPreview(r Rules, d Draft) Preview {
	if p, ok := r.(Previewer); ok {
		return p.Preview(d)
	}
	return Preview{
		Kind: "post", Parts: []PreviewPart{PartAccount, PartTitle, PartText, PartMedia}, Several: Slides,
		MinRatio: RatioPortrait, MaxRatio: RatioWide, Title: d.Title, Text: AppendMissingTags(d.Text, d.Tags),
	}
}
