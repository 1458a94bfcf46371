package media

import (
	"fmt"
	"strconv"

	"belfry/internal/core"
)

// Reasons of refusal. What is a file's fault has one sentence, here and nowhere else.
const (
	reasonEmpty     = "The file is empty."
	reasonUnknown   = "This is no picture or video that can be published. Send a JPEG, PNG, WebP or GIF, or an MP4 or MOV."
	reasonTruncated = "The file is cut off: its end is missing. Send it again."
	reasonDamaged   = "The file is damaged and cannot be read."
	reasonActive    = "The file is a picture or video and also something that a program could run. Export it again."
	reasonHeavy     = "The picture's file is larger than 256 MiB."
	reasonNoSize    = "The file says that it is nothing wide or nothing high."
	reasonFrames    = "The picture has more than 200 frames. Make it a video."

	reasonHEIC     = "HEIC pictures are not taken by the networks. Export it as JPEG."
	reasonAVIF     = "AVIF pictures are not taken by the networks. Export it as JPEG, PNG or WebP."
	reasonJXL      = "JPEG XL pictures are not taken by the networks. Export it as JPEG."
	reasonJP2      = "JPEG 2000 pictures are not taken by the networks. Export it as JPEG."
	reasonRaw      = "Raw pictures of a camera are not taken by the networks. Export it as JPEG."
	reasonTIFF     = "TIFF and raw pictures are not taken by the networks. Export it as JPEG."
	reasonBMP      = "BMP pictures are not taken. Export it as PNG or JPEG."
	reasonICO      = "Icons are not taken. Export it as PNG."
	reasonPSD      = "Photoshop files are not taken. Export it as JPEG or PNG."
	reasonSVG      = "SVG drawings are not taken by the networks. Export it as PNG."
	reasonPDF      = "PDF files are not taken. Export its pages as pictures."
	reasonHTML     = "This is a web page, no picture or video. The address may lead to a page about the file."
	reasonArchive  = "Archives are not taken. Unpack it and send the files in it."
	reasonPlaylist = "This is a playlist, no video. Send the video itself."
	reasonText     = "This is text, no picture or video."
	reasonProgram  = "Programs are not taken."
	reasonWebM     = "WebM and Matroska videos are not taken. Export it as MP4."
	reasonAVI      = "AVI videos are not taken. Export it as MP4."
	reasonFLV      = "Flash videos are not taken. Export it as MP4."
	reasonMPEG     = "MPEG streams are not taken. Export it as MP4."
	reasonWMV      = "Windows Media files are not taken. Export it as MP4."
	reasonAudio    = "This is sound without pictures. Make it a video."

	reasonJPEGKind    = "This JPEG is written in a way that hardly any program reads. Export it anew."
	reasonNoPicture   = "There is no picture in the file."
	reasonManyParts   = "The file is made of too many parts. Export it anew."
	reasonNoMoov      = "The video has no index: its recording was cut off, or its end is missing."
	reasonBigMoov     = "The video's index is larger than any honest one. Export it anew."
	reasonNoVideo     = "There are no moving pictures in the video."
	reasonNoSamples   = "The video is empty."
	reasonNoLength    = "The video does not say how long it is."
	reasonTooLong     = "The video says that it is longer than two days."
	reasonOutside     = "The video's pictures are in another file. Export it as one file."
	reasonFragmentEnd = "The video is cut off: its index is there, its pictures are not."
	reasonEncrypted   = "The video is encrypted."
)

func tooManyPixels(width, height int64) string {
	return fmt.Sprintf("The picture has %d × %d pixels, more than 100 million. Make it smaller.", width, height)
}

func otherKind(c DeclaredType, is core.FileKind) string {
	said := strconv.Quote(c.Name)
	if (DeclaredType{Name: c.Name}).declaredKind() == "" {
		said = strconv.Quote(c.Mime)
	}
	if is == core.FileVideo {
		return "The file was sent as " + said + ", but it is a video. Send it again as what it is, such as clip.mp4."
	}
	return "The file was sent as " + said + ", but it is a picture. Send it again as what it is, such as photo.jpg."
}
