package network

// Previewer is a network that says how it shows a post. Any other network's posts are drawn in a plain look.
type Previewer interface {
	// Preview says how a phone shows such a post. The draft may be one that the network would refuse.
	Preview(d Draft) Preview
}

// Preview is how a network shows a post on a phone, as data: views/preview draws it.
type Preview struct {
	// ErrorKind is what people call such a post there, such as Reel.
	Kind string
	// Parts are what is shown, from top to bottom. If the media fill the screen, the parts before them stand over their
	// top, and those after them over their bottom.
	Parts []PreviewPart
	// Fills tells that the media fill the screen.
	Fills bool
	// Several is how more than one file is shown.
	Several Arrangement
	// MinRatio and MaxRatio bound the shape of the media, width by height; what is beyond is cropped. 0 for no bound.
	MinRatio, MaxRatio float64
	// Cover is the number of the file, from 1, whose picture stands for the video; 0 for none.
	Cover int

	// ByUsername tells that the account goes by its username there, not by its name.
	ByUsername bool
	// Beside stands next to the account, such as the age of a new post.
	Beside string
	Topic  string
	Title  string
	Text   string
	// Fold is how many characters of the text are shown before one asks for more; 0 for all.
	Fold int
	// FetchLink is shown as a card; "" for none.
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
	Row    Arrangement = "row"    // side by side, to be pulled along
)

// PreviewAction is what others can do with the post: the name of an icon, and the word beside it if there is one.
type PreviewAction struct{ Icon, Word string }

// Actions that several networks have.
var (
	ActionLike    = PreviewAction{Icon: "heart"}
	ActionComment = PreviewAction{Icon: "message-circle"}
	ActionShare   = PreviewAction{Icon: "forward"}
	ActionSend    = PreviewAction{Icon: "send"}
	ActionSave    = PreviewAction{Icon: "bookmark"}
)

// Shapes that phones show, width by height.
const (
	RatioPortrait = 4.0 / 5
	RatioWide     = 16.0 / 9
)

// BuildPreview says how a network shows a post.
func BuildPreview(r Rules, d Draft) Preview {
	if p, ok := r.(Previewer); ok {
		return p.Preview(d)
	}
	return Preview{
		Kind: "Post", Parts: []PreviewPart{PartAccount, PartTitle, PartText, PartMedia}, Several: Slides,
		MinRatio: RatioPortrait, MaxRatio: RatioWide, Title: d.Title, Text: AppendMissingTags(d.Text, d.Tags),
	}
}
