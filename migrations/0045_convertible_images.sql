-- Images that can be sent as a JPEG to networks that do not accept their format: still, and decodable in little memory.
-- How much memory an image that was examined earlier needs is not known; a PNG needs at most 16 bytes per pixel.
ALTER TABLE media ADD COLUMN convertible boolean NOT NULL DEFAULT false;

UPDATE media SET convertible = true
WHERE status = 'ready' AND mime IN ('image/png', 'image/webp') AND frames = 1 AND width::bigint * height < 12500000;
