package media

import (
	"fmt"
	"strconv"

	"belfry/internal/core"
)

// Reasons of refusal. What is a file's fault has one sentence, here and nowhere else.
const (
	reasonEmpty     = "The file is empty."
	reasonUnknown   = "This is not a supported image or video. Upload a JPEG, PNG, WebP, GIF, MP4 or MOV."
	reasonTruncated = "The end of the file is missing. Upload it again."
	reasonDamaged   = "The file is damaged and cannot be read."
	reasonActive    = "The file also contains something that another program could run. Export it again."
	reasonHeavy     = "The image file is larger than 256 MiB."
	reasonNoSize    = "The file has no width or no height."
	reasonFrames    = "The image has more than 200 frames. Upload it as a video."

	reasonHEIC     = "The networks do not accept HEIC images. Export it as JPEG."
	reasonAVIF     = "The networks do not accept AVIF images. Export it as JPEG, PNG or WebP."
	reasonJXL      = "The networks do not accept JPEG XL images. Export it as JPEG."
	reasonJP2      = "The networks do not accept JPEG 2000 images. Export it as JPEG."
	reasonRaw      = "The networks do not accept raw camera images. Export it as JPEG."
	reasonTIFF     = "TIFF and raw images are not supported. Export it as JPEG."
	reasonBMP      = "BMP images are not supported. Export it as PNG or JPEG."
	reasonICO      = "Icon files are not supported. Export it as PNG."
	reasonPSD      = "Photoshop files are not supported. Export it as JPEG or PNG."
	reasonSVG      = "The networks do not accept SVG images. Export it as PNG."
	reasonPDF      = "PDF files are not supported. Export the pages as images."
	reasonHTML     = "This is a web page, not an image or video. Use the address of the file itself."
	reasonArchive  = "Archives are not supported. Unpack it and upload the files."
	reasonPlaylist = "This is a playlist, not a video. Upload the video itself."
	reasonText     = "This is text, not an image or video."
	reasonProgram  = "Programs are not supported."
	reasonWebM     = "WebM and Matroska videos are not supported. Export it as MP4."
	reasonAVI      = "AVI videos are not supported. Export it as MP4."
	reasonFLV      = "Flash videos are not supported. Export it as MP4."
	reasonMPEG     = "MPEG streams are not supported. Export it as MP4."
	reasonWMV      = "Windows Media files are not supported. Export it as MP4."
	reasonAudio    = "This is an audio file. Upload it as a video."

	reasonJPEGKind    = "This kind of JPEG is not supported. Export it again."
	reasonNoPicture   = "The file contains no image."
	reasonManyParts   = "The file has too many parts. Export it again."
	reasonNoMoov      = "The video has no index: the recording was interrupted, or the end of the file is missing."
	reasonBigMoov     = "The video's index is too large. Export it again."
	reasonNoVideo     = "The file contains no video track."
	reasonNoSamples   = "The video is empty."
	reasonNoLength    = "The video has no duration."
	reasonTooLong     = "The video is longer than two days."
	reasonOutside     = "The video refers to another file. Export it as one file."
	reasonFragmentEnd = "Part of the video is missing. Upload it again."
	reasonEncrypted   = "The video is encrypted."
)

func tooManyPixels(width, height int64) string {
	return fmt.Sprintf("The image has %d × %d pixels, more than 100 million. Make it smaller.", width, height)
}

func otherKind(c DeclaredType, is core.FileKind) string {
	said := strconv.Quote(c.Name)
	if (DeclaredType{Name: c.Name}).declaredKind() == "" {
		said = strconv.Quote(c.Mime)
	}
	if is == core.FileVideo {
		return "The file was uploaded as " + said + ", but it is a video. Upload it again as a video, such as clip.mp4."
	}
	return "The file was uploaded as " + said + ", but it is an image. Upload it again as an image, such as photo.jpg."
}
