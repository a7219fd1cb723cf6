package debtest

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/clearsign"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/ulikunitz/xz"
)

// Repository is a repository of Debian packages, served by HTTP on loopback. [Repository.Publish]
// says what it has.
type Repository struct {
	URL string // with a path: http://127.0.0.1:1234/debian

	server *httptest.Server
	key    *openpgp.Entity
	mu     sync.Mutex
	files  map[string][]byte // by path below URL
	wrong  Wrong
	date   time.Time
}

// Wrong is what is wrong with a repository.
type Wrong struct {
	Expired  bool   // its Release
	Unsigned bool   // its InRelease
	OtherKey bool   // another key signs it
	Detached bool   // it has Release and Release.gpg in place of InRelease, which is right, too
	Flat     bool   // it has no suites, which is right, too: ./ in sources.list
	Login    string // NAME:PASSWORD, without which it has nothing
	Older    bool   // it has the date of the day before
	Index    bool   // Packages are others than Release says
	Damaged  string // the package with this name is another file
	Missing  string // the package with this name is not there, though indexes name it
	Moved    string // every request is redirected there
	Stalls   string // an answer for a path that contains it does not end
}

// first is the date of what is published first. What follows is a day younger.
var first = time.Date(2025, 1, 10, 12, 0, 0, 0, time.UTC)

// Serve starts a repository without packages.
func Serve() *Repository {
	r := &Repository{key: newKey(), date: first.AddDate(0, 0, -1)}
	r.server = httptest.NewServer(r)
	r.URL = r.server.URL + "/debian"
	return r
}

// Close ends the repository.
func (r *Repository) Close() {
	r.server.CloseClientConnections()
	r.server.Close()
}

// newKey makes a key that has signed since before the first date.
func newKey() *openpgp.Entity {
	e, err := openpgp.NewEntity("Test", "", "test@example.com", &packet.Config{
		Algorithm: packet.PubKeyAlgoEdDSA, Time: func() time.Time { return first.AddDate(-1, 0, 0) },
	})
	must(err)
	return e
}

// Key returns the public key as /etc/apt/trusted.gpg.d has it.
func (r *Repository) Key() string {
	var b bytes.Buffer
	must(r.key.Serialize(&b))
	return b.String()
}

// ArmoredKey returns the public key with ASCII armor.
func (r *Repository) ArmoredKey() string {
	var b bytes.Buffer
	w, err := armor.Encode(&b, "PGP PUBLIC KEY BLOCK", nil)
	must(err)
	must(r.key.Serialize(w))
	must(w.Close())
	return b.String()
}

// ServeHTTP answers as a web server with files does, unless something is wrong with the repository.
func (r *Repository) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	wrong := r.wrong
	data, ok := r.files[strings.TrimPrefix(q.URL.Path, "/debian/")]
	r.mu.Unlock()
	name, password, _ := q.BasicAuth()
	switch {
	case wrong.Login != "" && wrong.Login != name+":"+password:
		w.WriteHeader(http.StatusUnauthorized)
	case wrong.Moved != "":
		http.Redirect(w, q, wrong.Moved+q.URL.Path, http.StatusMovedPermanently)
	case wrong.Stalls != "" && strings.Contains(q.URL.Path, wrong.Stalls):
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		w.Write(data[:len(data)/2])           //nolint:errcheck // whoever reads has gone
		http.NewResponseController(w).Flush() //nolint:errcheck // as before
		<-q.Context().Done()
	case !ok:
		http.NotFound(w, q)
	default:
		http.ServeContent(w, q, "", time.Time{}, bytes.NewReader(data))
	}
}

// Publish replaces what the repository has by packages, in the form of [Describe], for
// architectures. Files that it had are gone, as those are that a live archive drops.
func (r *Repository) Publish(description string, architectures []string, wrong Wrong) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files, r.wrong, r.date = map[string][]byte{}, wrong, r.date.AddDate(0, 0, 1)
	suites := map[string]map[string]string{} // Packages by suite and architecture
	for _, d := range Describe(description, architectures) {
		if suites[d.Suite] == nil {
			suites[d.Suite] = map[string]string{}
		}
		for _, arch := range architectures {
			if d.arch == "all" || d.arch == arch {
				suites[d.Suite][arch] += d.stanza() + "\n"
			}
		}
		data := d.deb
		switch d.name {
		case wrong.Missing:
			continue
		case wrong.Damaged:
			data = slices.Concat(data[:len(data)-1], []byte{data[len(data)-1] ^ 1})
		}
		r.files[d.path] = data
	}
	for suite, packages := range suites {
		r.suite(suite, architectures, packages)
	}
}

// suite writes the indexes of a suite.
func (r *Repository) suite(suite string, architectures []string, packages map[string]string) {
	var lines []string
	root := "dists/" + suite + "/"
	if r.wrong.Flat {
		root = ""
	}
	for _, arch := range architectures {
		dir := "main/binary-" + arch + "/"
		if r.wrong.Flat {
			dir = ""
		}
		text := []byte(packages[arch])
		for name, data := range map[string][]byte{
			"Packages": text, "Packages.xz": compressed(text, "xz"), "Packages.gz": compressed(text, "gz"),
		} {
			sum := sha256.Sum256(data)
			digest := hex.EncodeToString(sum[:])
			lines = append(lines, fmt.Sprintf(" %s %d %s%s", digest, len(data), dir, name))
			if r.wrong.Index {
				data = slices.Concat([]byte{data[0] ^ 1}, data[1:])
			}
			if name != "Packages" {
				r.files[root+dir+name], r.files[root+dir+"by-hash/SHA256/"+digest] = data, data
			}
		}
	}
	slices.Sort(lines)
	date := r.date
	if r.wrong.Older {
		date = date.AddDate(0, 0, -2)
	}
	text := fmt.Sprintf("Origin: Test\nLabel: Test\nSuite: %s\nCodename: %[1]s\nDate: %s\n", suite, day(date))
	if r.wrong.Expired {
		text += "Valid-Until: " + day(date.AddDate(0, 0, 7)) + "\n"
	}
	text += fmt.Sprintf("Acquire-By-Hash: yes\nNo-Support-for-Architecture-all: Packages\nArchitectures: %s\n"+
		"Components: main\nSHA256:\n%s\n", strings.Join(architectures, " "), strings.Join(lines, "\n"))
	if r.wrong.Detached {
		r.files[root+"Release"], r.files[root+"Release.gpg"] = []byte(text), r.detached(text)
		return
	}
	r.files[root+"InRelease"] = r.signed(text)
}

func day(t time.Time) string { return t.Format(time.RFC1123) }

// signed returns an InRelease.
func (r *Repository) signed(text string) []byte {
	key := r.key
	switch {
	case r.wrong.Unsigned:
		return []byte(text)
	case r.wrong.OtherKey:
		key = newKey()
	}
	var b bytes.Buffer
	w, err := clearsign.Encode(&b, key.PrivateKey, &packet.Config{Time: func() time.Time { return r.date }})
	must(err)
	_, err = w.Write([]byte(text))
	must(err)
	must(w.Close())
	b.WriteByte('\n')
	return b.Bytes()
}

// detached returns a Release.gpg.
func (r *Repository) detached(text string) []byte {
	var b bytes.Buffer
	must(openpgp.DetachSign(&b, r.key, strings.NewReader(text),
		&packet.Config{Time: func() time.Time { return r.date }}))
	return b.Bytes()
}

// compressed compresses a text.
func compressed(text []byte, form string) []byte {
	var b bytes.Buffer
	if form == "gz" {
		w := gzip.NewWriter(&b)
		_, err := w.Write(text)
		must(err)
		must(w.Close())
		return b.Bytes()
	}
	w, err := xz.NewWriter(&b)
	must(err)
	_, err = w.Write(text)
	must(err)
	must(w.Close())
	return b.Bytes()
}
