package explore

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"pgregory.net/rapid"

	"github.com/slipway-dev/slipway/internal/testing/debtest"
	"github.com/slipway-dev/slipway/platform"
)

// These stand for the repositories of packages in what is drawn, as [host] does for the registry.
const (
	signedAt   = "http://SIGNED/debian"
	mirrorAt   = "http://MIRROR/debian"
	unsignedAt = "http://UNSIGNED/debian"
	// keysOf stands for the keys of the signed repository.
	keysOf = "KEYS\n"
)

// stated are packages of the signed repository that stay as they are.
const stated = `Package: base-files
Version: 12
Architecture: any
File: /etc/os-release ID=debian

Package: greet
Architecture: any
Depends: libgreet (>= 1.0) | other, libc6
Recommends: suggested
File: /usr/bin/greet hello
Postinst: #!/bin/sh
 set -e
 if [ "$1" = configure ]; then
   adduser --system --quiet --no-create-home --group greet
 fi

Package: suggested
Conffiles: /etc/suggested.conf
File: /etc/suggested.conf value
Link: /usr/bin/suggest greet

Package: tool
Version: 2:1.0-1
File: /usr/bin/tool tool
Postinst: #!/bin/sh
 set -e
 update-alternatives --install /usr/bin/t t /usr/bin/tool 10

Package: agent
File: /usr/sbin/agent agent
Postinst: #!/usr/bin/perl
 system "agent";

Package: asks
Templates: Template: asks/language
 Type: string
 Default: English
 Description: language
Postinst: #!/bin/sh
 set -e
 . /usr/share/debconf/confmodule
 db_get asks/language
 echo "$RET" >/usr/share/asks
`

// moving are the others: in a version, and in one that only the suite for security has.
const moving = `
Package: libgreet
Architecture: any
Version: %s
File: /lib/libgreet.so.1 lib %[1]s

Package: old
Architecture: any
Version: %s
Suite: bookworm-security
File: /usr/share/old newer %[2]s
`

// newer is what the repository has beside the older version.
const newer = `
Package: tool
Version: 2:1.1-1
File: /usr/bin/tool newer tool
`

// repositories are those of all walks: a signed one with its mirror, which keeps what it had, and
// one that nothing signs.
type repositories struct {
	signed, later, mirror, unsigned *debtest.Repository
	// moved says that the signed repository has newer versions, and has dropped the older.
	moved atomic.Bool
}

// ServeHTTP answers as the signed repository.
func (r *repositories) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if r.moved.Load() {
		r.later.ServeHTTP(w, q)
	} else {
		r.signed.ServeHTTP(w, q)
	}
}

// archives are made once, and end with the test.
var archives = sync.OnceValue(func() *repositories {
	r := &repositories{debtest.Serve(), debtest.Serve(), debtest.Serve(), debtest.Serve(), atomic.Bool{}}
	arches := []string{"amd64", "arm64", "armhf"}
	before, after := stated+fmt.Sprintf(moving, "1.0", "1.1"), stated+newer+fmt.Sprintf(moving, "1.2", "1.3")
	r.signed.Publish(before, arches, debtest.Wrong{})
	r.mirror.Publish(before, arches, debtest.Wrong{})
	r.later.Publish(before, arches, debtest.Wrong{})
	r.later.Publish(after, arches, debtest.Wrong{}) // a day later
	r.unsigned.Publish("Package: inhouse\nFile: /usr/share/inhouse inhouse\n", arches, debtest.Wrong{Unsigned: true})
	r.signed.URL = httptest.NewServer(r).URL + "/debian"
	return r
})

// addresses puts the addresses of repositories into a text.
func addresses(text string) string {
	if !strings.Contains(text, "/debian") && text != keysOf {
		return text
	}
	r := archives()
	return strings.NewReplacer(keysOf, r.signed.ArmoredKey()+r.later.ArmoredKey(),
		signedAt, r.signed.URL, mirrorAt, r.mirror.URL, unsignedAt, r.unsigned.URL).Replace(text)
}

// pushDebian pushes the base whose packages are those of the signed repository.
func pushDebian(host string) error {
	ref, err := name.NewTag(host + debianImage)
	if err != nil {
		return err
	}
	var all []platform.Platform
	for _, on := range []string{"linux/amd64", "linux/arm64", "linux/arm/v7"} {
		p, err := platform.Parse(on)
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	r := archives()
	key := debtest.File{Name: "etc/apt/trusted.gpg.d/later.gpg", Text: r.later.Key()}
	program := debtest.File{Name: "usr/bin/update-alternatives", Text: "update-alternatives", Mode: 0o755}
	return remote.WriteIndex(ref, debtest.Base(r.signed, all, key, program))
}

// installing are lines of RUN on a base of Debian.
var installing = []string{
	"apt-get update && apt-get install -y --no-install-recommends greet && rm -rf /var/lib/apt/lists/*",
	"apt-get update && apt-get install -y greet tool && apt-get clean",
	"apt-get update -q && apt-get upgrade -y", "apt-get -qq install -y tool=2:1.0-1 libgreet",
	"apt-mark hold old && apt-get update && apt-get dist-upgrade -y && apt-mark unhold old",
	"apt-get install -y greet && apt-get purge -y --auto-remove greet",
	"apt-get install -y suggested && apt-get remove -y suggested",
	"echo 'asks asks/language string German' | debconf-set-selections && apt-get install -y asks",
	"printf 'Package: libgreet\\nPin: version 1.0\\nPin-Priority: 1001\\n' > /etc/apt/preferences.d/greet",
	"dpkg -P old", "apt-get install -y agent", inhouse,
	"cd /tmp && apt-get update && apt-get download tool && dpkg -x tool_*.deb /opt && rm tool_*.deb",
}

const inhouse = "mkdir -p /etc/apt/sources.list.d && echo 'deb " + unsignedAt +
	" bookworm main' > /etc/apt/sources.list.d/inhouse.list && apt-get update && apt-get install -y inhouse"

// debian reports whether the base for Linux has packages of Debian.
func (p *product) debian() bool {
	return slices.ContainsFunc(p.yaml["bases"].([]object), func(o object) bool {
		images, _ := o["images"].(object)
		return slices.ContainsFunc(p.platforms, func(on string) bool { return images[on] == host+debianImage })
	})
}

const debianImage = "/base/debian:1"

// drawInstalls draws lines that install packages, and what slipway.yaml has about them.
func (p *product) drawInstalls(t *rapid.T) (lines []string) {
	for range rapid.IntRange(1, 3).Draw(t, "installs") {
		line := pick(t, "install", installing...)
		if slices.Contains(lines, line) {
			continue
		}
		lines = append(lines, line)
		switch {
		case strings.HasSuffix(line, " agent"):
			skip := object{"package": "agent", "reason": skipped}
			if maybe(t, 2, "scripts") {
				skip["scripts"] = some(t, "script", 1, "preinst", "postinst")
				if !slices.Contains(skip["scripts"].([]string), "postinst") {
					skip["scripts"] = []string{"postinst"}
				}
			}
			p.packages()["skipScripts"] = []object{skip}
		case line == inhouse:
			p.packages()["unsigned"] = []object{{"url": unsignedAt, "reason": "only walks reach it"}}
		}
	}
	p.locks = p.locks || strings.Contains(strings.Join(lines, "\n"), "apt-get ")
	if maybe(t, 2, "mirror") {
		p.packages()["mirrors"] = []object{{"for": signedAt, "url": mirrorAt}}
	}
	if maybe(t, 3, "inputs") {
		p.packages()["inputs"] = true
	}
	return lines
}

// skipped is the reason for skipping a script.
const skipped = "it only starts the agent"

// packages returns the key of slipway.yaml.
func (p *product) packages() object {
	if p.yaml["packages"] == nil {
		p.yaml["packages"] = object{}
	}
	return p.yaml["packages"].(object)
}

// drawBare draws a base for Linux that consists of packages.
func (p *product) drawBare(t *rapid.T) object {
	p.bare, p.locks = true, true
	p.files["keys/archive.asc"] = keysOf
	from := object{"url": signedAt, "key": "keys/archive.asc", "suites": []string{"bookworm", "bookworm-security"}}
	if maybe(t, 2, "components") {
		from["components"] = []string{"main"}
	}
	o := object{
		"suite": "bookworm", "install": some(t, "package", 1, "tool", "old", "suggested"),
		"repositories": []object{from},
	}
	if maybe(t, 2, "distribution") {
		o["distribution"] = "debian"
	}
	if maybe(t, 2, "user of the base") {
		o["user"] = pick(t, "user", "0", "1000:1000")
	}
	return object{"name": "linux", "packages": o}
}
