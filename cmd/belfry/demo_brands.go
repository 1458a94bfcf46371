package main

// demoBrand is a workspace of the demo.
type demoBrand struct {
	name, zone, color string
	pictures          map[string][]layer // by file name
	posts             []demoPost
}

// demoPost is a post to all accounts of its brand.
type demoPost struct {
	day     int    // days from today: one in the past is live, one in the future queued
	at      string // the time of day; empty for a draft
	text    string
	picture string // a file name, or empty
	refused string // the network's message, for a post that fails; it goes to one account only
}

func demoBrands() []demoBrand {
	return []demoBrand{harbourBakery(), nightOwlCycles(), papercutStudio()}
}

func harbourBakery() demoBrand {
	return demoBrand{
		name: "Harbour Bakery", zone: "Europe/Berlin", color: "#b45309",
		pictures: map[string][]layer{
			"rye-loaf.jpg": {
				{0xf3e6d0, everywhere},
				{0xd9c3a0, below(0.68, 0, 0, 0)},
				{0xb89a73, ellipse(0.5, 0.75, 0.86, 0.16)},
				{0x8a4b20, ellipse(0.5, 0.56, 0.72, 0.42)},
				{0xa9622e, ellipse(0.5, 0.53, 0.66, 0.34)},
				{0xf0d3a2, line(0.34, 0.44, 0.42, 0.62, 0.025)},
				{0xf0d3a2, line(0.46, 0.41, 0.54, 0.62, 0.025)},
				{0xf0d3a2, line(0.58, 0.43, 0.66, 0.61, 0.025)},
			},
			"cinnamon-buns.jpg": {
				{0x2f4858, everywhere},
				{0x8d99a6, box(0.08, 0.08, 0.84, 0.84)},
				{0xd9954a, circle(0.32, 0.32, 0.19)},
				{0xd9954a, circle(0.69, 0.32, 0.19)},
				{0xd9954a, circle(0.32, 0.69, 0.19)},
				{0xd9954a, circle(0.69, 0.69, 0.19)},
				{0x8f4f1d, ring(0.32, 0.32, 0.12)},
				{0x8f4f1d, ring(0.69, 0.32, 0.12)},
				{0x8f4f1d, ring(0.32, 0.69, 0.12)},
				{0x8f4f1d, ring(0.69, 0.69, 0.12)},
				{0xfff4e3, circle(0.32, 0.32, 0.05)},
				{0xfff4e3, circle(0.69, 0.32, 0.05)},
				{0xfff4e3, circle(0.32, 0.69, 0.05)},
				{0xfff4e3, circle(0.69, 0.69, 0.05)},
			},
			"harbour-at-dawn.jpg": {
				{0xf7c59f, everywhere},
				{0xfde8c9, circle(0.62, 0.5, 0.2)},
				{0x5a7d9a, below(0.52, 0.006, 3, 0)},
				{0x40627f, below(0.66, 0.01, 2, 0.3)},
				{0x27455f, below(0.82, 0.012, 2.5, 0.6)},
				{0x3b2a23, line(0.3, 0.22, 0.3, 0.56, 0.012)},
				{0xfffaf0, line(0.33, 0.3, 0.33, 0.5, 0.05)},
				{0x3b2a23, ellipse(0.3, 0.57, 0.3, 0.07)},
			},
		},
		posts: []demoPost{
			{
				day: -6, at: "06:30", picture: "harbour-at-dawn.jpg",
				text: "The harbour before sunrise, and the first trays are out.",
			},
			{
				day: -5, at: "07:00",
				text: "Our rye loaf takes three days: one to feed the starter, one to rest, one to bake.",
			},
			{
				day: -3, at: "06:45", picture: "cinnamon-buns.jpg",
				text: "Cinnamon buns, straight from the oven. They are usually gone by ten.",
			},
			{day: -1, at: "16:00", text: "Half an hour until closing. Everything on the counter is half price."},
			{
				day: 1, at: "06:30", picture: "rye-loaf.jpg",
				text: "New on the shelf: walnut rye. Ask for a slice to try.",
			},
			{
				day: 2, at: "17:00",
				text: "Which bread should come back this winter: potato, spelt or caraway? Tell us below.",
			},
			{
				day: 4, at: "06:30",
				text: "Stollen orders are open. We bake a hundred, and no more.\n\nOrder at the counter or by phone.",
			},
			{day: 7, at: "07:00", text: "Good morning from the bakehouse.", picture: "harbour-at-dawn.jpg"},
			{text: "Meet Ida, who has shaped every baguette here since spring. Add her picture before this goes out."},
			{text: "Opening hours over the holidays: (to be confirmed)"},
		},
	}
}

func nightOwlCycles() demoBrand {
	return demoBrand{
		name: "Night Owl Cycles", zone: "America/Denver", color: "#0f766e",
		pictures: map[string][]layer{
			"evening-ride.jpg": {
				{0x1b2a49, everywhere},
				{0xf4e9c8, circle(0.74, 0.24, 0.1)},
				{0x1b2a49, circle(0.7, 0.22, 0.09)},
				{0x2f4b6b, below(0.58, 0.08, 1.2, 0.1)},
				{0x24405a, below(0.68, 0.06, 1.6, 0.55)},
				{0x16293d, below(0.8, 0.04, 1.1, 0.2)},
				{0xf2b84b, line(0.1, 0.95, 0.55, 0.8, 0.012)},
			},
			"touring-bike.jpg": {
				{0xe8efe9, everywhere},
				{0xc9d6cb, below(0.79, 0, 0, 0)},
				{0x25302b, ring(0.27, 0.62, 0.17)},
				{0x25302b, ring(0.73, 0.62, 0.17)},
				{0x0f766e, line(0.27, 0.62, 0.42, 0.38, 0.025)},
				{0x0f766e, line(0.42, 0.38, 0.66, 0.38, 0.025)},
				{0x0f766e, line(0.48, 0.62, 0.66, 0.38, 0.025)},
				{0x0f766e, line(0.27, 0.62, 0.48, 0.62, 0.025)},
				{0x0f766e, line(0.48, 0.62, 0.4, 0.32, 0.025)},
				{0x0f766e, line(0.73, 0.62, 0.64, 0.28, 0.025)},
				{0x25302b, line(0.35, 0.31, 0.46, 0.31, 0.035)},
				{0x25302b, line(0.6, 0.27, 0.7, 0.25, 0.03)},
			},
		},
		posts: []demoPost{
			{
				day: -6, at: "18:00", picture: "evening-ride.jpg",
				text: "Tonight’s ride: 14 miles, easy pace, lights required. Meet at the shop.",
			},
			{
				day: -4, at: "12:00",
				text: "Drop your bike off by eight tonight and ride it to work tomorrow. That is why we stay up.",
			},
			{
				day: -2, at: "17:30", picture: "touring-bike.jpg",
				text: "A touring bike, built for someone who is leaving for Patagonia.",
			},
			{
				day: -1, at: "09:00", text: "Last year’s helmets are 30 % off: https://example.org/helmets",
				refused: "The link in this post was blocked.",
			},
			{
				day: 1, at: "18:00",
				text: "Free light check at the door, all evening. Bring your own batteries or buy ours.",
			},
			{
				day: 3, at: "12:00",
				text: "How to fix a flat in five minutes: a thread for everyone who still calls us from the roadside.",
			},
			{day: 5, at: "18:00", text: "The evening ride is back, whatever the weather.", picture: "evening-ride.jpg"},
			{text: "Winter tires: when to change, and when not to bother."},
		},
	}
}

func papercutStudio() demoBrand {
	return demoBrand{
		name: "Papercut", zone: "Europe/London", color: "#7c3aed",
		pictures: map[string][]layer{
			"poster.jpg": {
				{0xf5f0e6, everywhere},
				{0xd7263d, circle(0.36, 0.38, 0.26)},
				{0x1b1b1e, box(0.52, 0.12, 0.1, 0.76)},
				{0xf2b134, box(0.62, 0.56, 0.28, 0.32)},
				{0x2e6f95, circle(0.76, 0.3, 0.12)},
				{0x1b1b1e, line(0.1, 0.84, 0.44, 0.72, 0.02)},
			},
			"paper-hills.jpg": {
				{0xfbe9e7, everywhere},
				{0xff8a65, circle(0.7, 0.3, 0.13)},
				{0xb39ddb, below(0.45, 0.07, 1, 0.1)},
				{0x9575cd, below(0.57, 0.06, 1.4, 0.5)},
				{0x7e57c2, below(0.69, 0.05, 1.1, 0.8)},
				{0x512da8, below(0.82, 0.04, 1.7, 0.25)},
			},
		},
		posts: []demoPost{
			{
				day: -5, at: "10:00", picture: "paper-hills.jpg",
				text: "We cut before we draw. Paper is honest about proportion in a way a screen is not.",
			},
			{
				day: -2, at: "15:00", picture: "poster.jpg",
				text: "The identity for the Old Mill Choir is out: one shape for each voice, four colors, no gradients.",
			},
			{
				day: 1, at: "10:00",
				text: "We have room for one branding project from January. Write to us with the problem, not the logo.",
			},
			{day: 3, at: "15:00", text: "Three posters, one grid.", picture: "poster.jpg"},
			{day: 6, at: "10:00", text: "Studio visit: bring something on paper that you would never throw away."},
			{text: "Case study: the choir’s identity, from the first scissors to the last proof.", picture: "poster.jpg"},
		},
	}
}
