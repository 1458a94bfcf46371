package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"belfry/internal/blob"
	"belfry/internal/core"
	"belfry/internal/media"
	"belfry/internal/store"
)

// convertTime is the time limit for converting one picture and storing the JPEG. A conversion that has begun to decode
// is finished even if nobody waits for it anymore, because its result is kept.
const convertTime = time.Minute

// OpenOriginalOrMakeJPEG opens the bytes of a file or, if jpeg is not nil, the JPEG that is sent in its place. The JPEG
// is made and stored first, if necessary. OpenOriginalOrMakeJPEG returns blob.ErrNotFound if the file cannot be sent.
func (s *Service) OpenOriginalOrMakeJPEG(
	ctx context.Context, m store.Media, jpeg *core.Conversion,
) (blob.Object, error) {
	switch {
	case m.Issue() != nil || m.Blob == "":
		return nil, blob.ErrNotFound
	case jpeg == nil:
		return s.cfg.Blobs.Open(ctx, m.Blob)
	}
	key := convertedPrefix(m.Blob) + jpeg.String() + ".jpg"
	object, err := s.cfg.Blobs.Open(ctx, key)
	if !errors.Is(err, blob.ErrNotFound) {
		return object, err
	}
	err = s.cfg.Decoder.convertExclusively(ctx, func() error {
		return s.convertAndStoreJPEGIfMissing(ctx, key, m, *jpeg)
	})
	if err != nil {
		return nil, err
	}
	return s.cfg.Blobs.Open(ctx, key)
}

// convertedPrefix returns the prefix of the keys of the JPEGs that are made from an image. No row refers to these keys:
// DeleteUnreferencedBlobsIfDue deletes the JPEGs after a day, and DeleteUnreferencedBlobsAndJPEGs together with the
// image.
func convertedPrefix(originalKey string) string { return originalKey + "." }

// convertAndStoreJPEGIfMissing stores the JPEG that is sent in place of a file under jpegKey, unless that has happened
// in the meantime. If the file's bytes were deleted during the conversion, it deletes the JPEG.
func (s *Service) convertAndStoreJPEGIfMissing(
	ctx context.Context, jpegKey string, m store.Media, jpeg core.Conversion,
) error {
	finish, cancel := context.WithTimeout(context.WithoutCancel(ctx), convertTime)
	defer cancel()
	stored, err := s.cfg.Blobs.Open(finish, jpegKey)
	if err == nil {
		return stored.Close()
	}
	if !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	object, err := s.cfg.Blobs.Open(finish, m.Blob)
	if err != nil {
		return err
	}
	made, err := s.cfg.Decoder.decodeExclusively(ctx, func() ([]byte, error) {
		return media.ConvertToJPEG(finish, object, object.Size(), jpeg)
	})
	if err = errors.Join(err, object.Close()); err != nil {
		return fmt.Errorf("convert media %s: %w", m.ID, err)
	}
	if err := s.cfg.Blobs.Put(finish, jpegKey, bytes.NewReader(made), int64(len(made))); err != nil {
		return err
	}
	object, err = s.cfg.Blobs.Open(finish, m.Blob)
	if errors.Is(err, blob.ErrNotFound) {
		return s.cfg.Blobs.Delete(finish, jpegKey)
	}
	if err != nil {
		return err
	}
	return object.Close()
}

// listConverted returns the keys of the JPEGs that were made from an image.
func (s *Service) listConverted(ctx context.Context, originalKey string) (made []string, err error) {
	err = s.cfg.Blobs.Each(ctx, convertedPrefix(originalKey), "", func(key string, _ int64, _ time.Time) error {
		made = append(made, key)
		return nil
	})
	return made, err
}
