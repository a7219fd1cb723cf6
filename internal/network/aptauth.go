package network

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/regular"
)

// login is an entry of apt_auth.conf(5): machine [SCHEME://]HOST[:PORT][/PATH] login NAME
// password WORD.
type login struct{ machine, name, password string }

// archiveLogin returns the credentials for an address of an archive, from where apt and curl have
// them: the file of NETRC, or else ~/.netrc, and then /etc/apt/auth.conf and auth.conf.d. As with
// apt, an entry without a scheme is for HTTPS alone.
func archiveLogin(u *url.URL) (login, bool, error) {
	for _, file := range authFiles() {
		text, err := regular.Read(file)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			return login{}, false, fmt.Errorf("reading credentials: %w", err)
		}
		all, err := parseAuth(string(text))
		if err != nil {
			return login{}, false, fmt.Errorf("%s: %w", file, err)
		}
		if n := slices.IndexFunc(all, func(l login) bool { return l.isFor(u) }); n >= 0 {
			return all[n], true, nil
		}
	}
	return login{}, false, nil
}

// authFiles are the files that may have credentials for archives.
func authFiles() []string {
	var files []string
	if f := os.Getenv("NETRC"); f != "" {
		files = append(files, f)
	} else if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".netrc"))
	}
	files = append(files, "/etc/apt/auth.conf")
	more, _ := filepath.Glob("/etc/apt/auth.conf.d/*.conf") // the pattern is right
	return append(files, more...)
}

// parseAuth reads entries. Those of FTP, macros and the default of .netrc mean no archive.
func parseAuth(text string) (all []login, err error) {
	words := strings.Fields(uncommented(text))
	var last *login
	for n := 0; n < len(words); n++ {
		word := words[n]
		if word == "default" || word == "macdef" {
			break
		}
		if n++; n == len(words) {
			return nil, fmt.Errorf("%s has no value", word)
		}
		switch {
		case word == "machine":
			all = append(all, login{machine: words[n]})
			last = &all[len(all)-1]
		case last == nil:
			return nil, errors.New("it does not begin with machine")
		case word == "login":
			last.name = words[n]
		case word == "password":
			last.password = words[n]
		case word != "account":
			return nil, errors.New("it has other words than machine, login and password")
		}
	}
	return all, nil
}

// uncommented returns a text without lines that are comments.
func uncommented(text string) string {
	var b strings.Builder
	for l := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(l), "#") {
			b.WriteString(l)
		}
	}
	return b.String()
}

// isFor reports whether an entry is for an address.
func (l login) isFor(u *url.URL) bool {
	scheme, rest, ok := strings.Cut(l.machine, "://")
	if !ok {
		scheme, rest = "https", l.machine
	}
	host, path, below := strings.Cut(rest, "/")
	path = strings.TrimSuffix("/"+path, "/")
	return u.Scheme == scheme && (host == u.Host || host == u.Hostname()) &&
		(!below || u.Path == path || strings.HasPrefix(u.Path, path+"/"))
}
