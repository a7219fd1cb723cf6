package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/keyfile"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// descriptorType is what containerd writes to the standard input of a verifier.
const descriptorType = "application/vnd.oci.descriptor.v1+json"

// verifierFile is verifier.yaml.
type verifierFile struct {
	Threshold int      `yaml:"threshold"`
	Allow     []string `yaml:"allow"`
}

// verifierLimits bound verifier.yaml.
var verifierLimits = yamlfile.Options{
	MaxBytes: 1 << 20, MaxValues: 64 << 10, MaxText: 1 << 20, MaxDepth: 4,
	Start: "remove it",
}

// Decide decides for containerd whether an image may be pulled, by the settings in a directory,
// and returns the reason. input is the media type of standard input: that of a descriptor, or "" if
// standard input is empty.
func Decide(stdin io.Reader, name string, h v1.Hash, input, dir string) (string, error) {
	switch input {
	case "":
	case descriptorType:
		var d struct {
			Digest    v1.Hash         `json:"digest"`
			MediaType types.MediaType `json:"mediaType"`
		}
		text, err := io.ReadAll(io.LimitReader(stdin, 64<<10))
		if err != nil {
			return "", fmt.Errorf("reading the descriptor: %w", err)
		}
		if err := json.Unmarshal(text, &d); err != nil || d.Digest != h {
			return "", fmt.Errorf("the descriptor on standard input is not that of %s", h)
		}
	default:
		return "", fmt.Errorf("standard input has the media type %.100q: this slipway reads %s", input, descriptorType)
	}
	path := filepath.Join(dir, "verifier.yaml")
	var file verifierFile
	text, err := yamlfile.ReadText(path, verifierLimits.MaxBytes)
	if err == nil {
		err = keyfile.CheckOwner(path)
	}
	if err == nil {
		err = yamlfile.Decode(path, text, verifierLimits, &file).Err()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	v, err := OpenVerifier(dir, file.Threshold, file.Allow)
	if err != nil {
		return "", err
	}
	return v.Decide(name, h)
}
