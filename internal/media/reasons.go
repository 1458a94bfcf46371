package media

import (
	"fmt"
	"strconv"

	"belfry/internal/core"
)

// Reasons for refusing a file, as sentences for its sender.
const (
	reasonEmpty      = "The file is empty."
	reasonUnknown    = "This is not a supported image or video. Upload a JPEG, PNG, WebP, GIF, MP4 or MOV file."
	reasonIncomplete = "The file is incomplete or damaged. Upload it again. If that does not help, export it again."
	reasonDamaged    = "The file is damaged and cannot be read. Export the file again."
	reasonActive     = "Besides the image or video, the file contains other data, such as a script or an archive. Export the file again."
	reasonNoSize     = "The width or height of the image or video is zero. Export the file again."

	reasonHEIC     = "The networks do not accept HEIC images. Export the image as JPEG."
	reasonAVIF     = "The networks do not accept AVIF images. Export the image as JPEG, PNG or WebP."
	reasonJXL      = "The networks do not accept JPEG XL images. Export the image as JPEG."
	reasonJP2      = "The networks do not accept JPEG 2000 images. Export the image as JPEG."
	reasonRaw      = "The networks do not accept raw camera images. Export the image as JPEG."
	reasonTIFF     = "TIFF and raw images are not supported. Export the image as JPEG."
	reasonBMP      = "BMP images are not supported. Export the image as PNG or JPEG."
	reasonICO      = "Icon files are not supported. Export the icon as PNG."
	reasonPSD      = "Photoshop files are not supported. Export the image as JPEG or PNG."
	reasonSVG      = "The networks do not accept SVG images. Export the image as PNG."
	reasonPDF      = "PDF files are not supported. Export the pages as images."
	reasonHTML     = "This is a web page, not an image or video. Upload the image or video itself, or use its direct address."
	reasonArchive  = "Archives are not supported. Unpack the archive and upload the files in it."
	reasonPlaylist = "This is a playlist, not a video. Upload the video itself."
	reasonText     = "This is a text file. Upload an image or a video."
	reasonProgram  = "Programs are not supported. Upload an image or a video."
	reasonWebM     = "WebM and Matroska videos are not supported. Export the video as MP4."
	reasonAVI      = "AVI videos are not supported. Export the video as MP4."
	reasonFLV      = "Flash videos are not supported. Export the video as MP4."
	reasonMPEG     = "MPEG streams are not supported. Export the video as MP4."
	reasonWMV      = "Windows Media files are not supported. Export the video as MP4."
	reasonAudio    = "This is an audio file. Upload an image or a video."

	reasonAvatar    = "The profile picture is too large to decode."
	reasonJPEGKind  = "This kind of JPEG is not supported. Export the image as a standard JPEG."
	reasonNoPicture = "The file contains no image. Export the image again."
	reasonManyParts = "The file has too many parts. Export the file again."
	reasonNoMoov    = "The video has no index: the recording was interrupted, or the end of the file is missing. " +
		"Export the video again."
	reasonBigMoov     = "The video's index is too large. Export the video again."
	reasonNoVideo     = "The file contains no video track. Export the video again."
	reasonNoSamples   = "The video is empty. Export the video again."
	reasonNoLength    = "The video has no duration. Export the video again."
	reasonOutside     = "The video refers to another file. Export the video as a single file."
	reasonFragmentEnd = "Part of the video is missing. Upload the file again."
	reasonEncrypted   = "The video is encrypted. Export the video without encryption."
)

// Reasons that state a limit.
var (
	reasonHeavy   = fmt.Sprintf("The image file is larger than %d MiB. Export it as a smaller file.", maxImageBytes>>20)
	reasonFrames  = fmt.Sprintf("The image has more than %d frames. Export it as an MP4 video.", maxFrames)
	reasonTooLong = fmt.Sprintf("The video is longer than %d hours. Shorten the video.", maxDurationMs/3600_000)
)

func reasonTooManyPixels(kind core.FileKind, width, height int64) string {
	return fmt.Sprintf("The %s is %d × %d pixels, which exceeds the limit of %d million pixels in total. "+
		"Reduce its width and height.", kind, width, height, maxPixels/1_000_000)
}

func reasonOtherKind(declared DeclaredType, actual core.FileKind) string {
	said := strconv.Quote(declared.Name)
	if (DeclaredType{Name: declared.Name}).declaredKind() == "" {
		said = strconv.Quote(declared.Mime)
	}
	if actual == core.FileVideo {
		return "The file was added as " + said + ", but it is a video. Give it a name with a video extension, such as .mp4, and add it again."
	}
	return "The file was added as " + said + ", but it is an image. Give it a name with an image extension, such as .jpg, and add it again."
}
