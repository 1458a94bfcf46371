package posts

import "belfry/views/layout"

// HoldModel is the page of the posts that wait while publishing is on hold. Reason is empty if publishing is not on
// hold.
type HoldModel struct {
	Frame  layout.Frame
	Reason string
	Rows   []HeldRow
}

// HeldRow is a post that waits, and what will happen to it.
type HeldRow struct{ ID, Platform, Network, Account, Text, Fate, URL string }
