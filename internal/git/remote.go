package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/internal/regular"
)

// remoteAddress matches the host and the path of an address of a remote: a URL, or host:path as ssh
// has it.
var remoteAddress = regexp.MustCompile(`^(?:(?:https?|ssh|git)://)?(?:[^@/]+@)?([A-Za-z0-9.-]+)(?::[0-9]+/|[:/])(.+?)(?:\.git)?/?$`)

// Remote returns the host and the path of the repository that a directory was cloned from, as
// github.com/owner/name: that of the remote upstream, or else of origin; "" if both are missing.
// Only the repository's own configuration is read, without the files that it includes.
func Remote(ctx context.Context, dir string) (string, error) {
	p, err := locate(dir)
	if err != nil {
		return "", err
	}
	text, err := regular.ReadMost(filepath.Join(p.common, "config"), maxSettings)
	if missing(err) || err == nil && len(text) == 0 {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("git: %w", err)
	}
	list, err := command(ctx, os.TempDir(), clean(nil), string(text), "config",
		"-z", "--no-includes", "--file=-", "--list")
	if err != nil {
		return "", err
	}
	found := map[string]string{}
	for entry := range strings.SplitSeq(list, "\x00") {
		name, value, _ := strings.Cut(entry, "\n")
		if m := remoteAddress.FindStringSubmatch(value); m != nil {
			found[name] = m[1] + "/" + strings.TrimPrefix(m[2], "/")
		}
	}
	if at := found["remote.upstream.url"]; at != "" {
		return at, nil
	}
	return found["remote.origin.url"], nil
}
