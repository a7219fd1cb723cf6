package forge

import (
	"strings"
)

const (
	statement = "provenance.sigstore.json"
	sums      = "SHA256SUMS"
	sumsJSON  = "SHA256SUMS.sigstore.json"
	sumsSig   = "SHA256SUMS.sig"
)

// rollback is the directory of the old release with the statement of another in place of its own,
// in a file that its checksums do not list.
func rollback(name, from string, change func(d *directory)) mechanism {
	return files(name, oldDir, func(d *directory) {
		d.remove(statement)
		d.take(from, statement, "new.sigstore.json")
		if change != nil {
			change(d)
		}
	})
}

// bare removes what ties checksums to a statement: bundles, manifests, programs and inputs.
func bare(d *directory) {
	d.remove("*.tar.zst", "release.yaml", "*.tar.gz", "*.cdx.json", "sbom", "index.html")
}

// resigned changes the signed statement.
func resigned(name string, change func(d *directory, text string) string) mechanism {
	return files(name, newDir, func(d *directory) {
		text := string(get(d.f.t, d.f.w.path(newDir, statement)))
		d.put(statement, []byte(change(d, text)))
	})
}

func (d *directory) statement(from string) string {
	return string(get(d.f.t, d.f.w.path(from, statement)))
}

var statements = []mechanism{
	rollback("old files, new statement", newDir, nil),
	rollback("old files, new statement, without what ties them", newDir, bare),
	rollback("old files, new statement, without bundles", newDir, func(d *directory) { d.remove("*.tar.zst") }),
	rollback("old files, new statement, without manifests", newDir, func(d *directory) { d.remove("release.yaml") }),
	rollback("old scripts alone, new statement",
		newDir, func(d *directory) { bare(d); d.remove("*.txt", "*.json.bak", "release.lock.json") }),
	rollback("old files, new statement, since the old", newDir, func(d *directory) {
		bare(d)
		d.args = []string{"-since=" + d.f.w.path(oldDir)}
	}),
	rollback("old files, new statement, since the new", newDir, func(d *directory) {
		bare(d)
		d.args = []string{"-since=" + d.f.w.path(newDir)}
	}),
	rollback("old files, new statement, new lock",
		newDir, func(d *directory) { bare(d); d.take(newDir, "release.lock.json", "release.lock.json") }),
	rollback("old files, statement of the same version at another time", "again", bare),
	rollback("old files, statement of another product", "hello2", bare),
	files("old files, new statement in the file of the old",
		oldDir, func(d *directory) { d.take(newDir, statement, statement); bare(d) }),
	files("old files, new statement, a product without manifests", "plain-"+oldDir, func(d *directory) {
		d.remove(statement, "*.tar.zst", "*.tar.gz")
		d.take("plain-"+newDir, statement, "new.sigstore.json")
	}),
	files("old files, new statement, a product without manifests, since the old", "plain-"+oldDir, func(d *directory) {
		d.remove(statement, "*.tar.zst", "*.tar.gz")
		d.take("plain-"+newDir, statement, "new.sigstore.json")
		d.args = []string{"-since=" + d.f.w.path("plain-"+oldDir)}
	}),
	files("old files, both statements", oldDir, func(d *directory) { d.take(newDir, statement, "a.sigstore.json") }),
	files("old files, both statements, without what ties them",
		oldDir, func(d *directory) { bare(d); d.take(newDir, statement, "a.sigstore.json") }),
	files("new files, both statements", newDir, func(d *directory) { d.take(oldDir, statement, "z.sigstore.json") }),
	files("old files", oldDir, func(d *directory) { d.args = []string{"-since=" + d.f.w.path(newDir)} }),
	files("new files, old statement", newDir, func(d *directory) { d.take(oldDir, statement, statement) }),
	files("new files, old statement, without what ties them",
		newDir, func(d *directory) { d.take(oldDir, statement, statement); bare(d) }),
	files("new files, statement of the same version at another time", newDir,
		func(d *directory) { d.take("again", statement, statement); bare(d) }),
	files("files of the same version at another time",
		"again", func(d *directory) { d.take(newDir, statement, statement); bare(d) }),
	files("files of another product", "hello2", func(d *directory) { d.take(newDir, statement, statement); bare(d) }),
	files("new files, old checksums", newDir, func(d *directory) {
		for _, n := range []string{sums, sumsJSON, sumsSig} {
			d.take(oldDir, n, n)
		}
	}),
	files("old script, old checksums", newDir, func(d *directory) {
		bare(d)
		for _, n := range []string{
			sums, sumsJSON, sumsSig, "load-images.sh", "load-images.ps1",
			"provenance.json", "release.lock.json",
		} {
			d.take(oldDir, n, n)
		}
		d.remove("*.txt")
	}),
	files("checksums of both", newDir, func(d *directory) {
		d.put(sums, append(get(d.f.t, d.f.w.path(newDir, sums)), get(d.f.t, d.f.w.path(oldDir, sums))...))
	}),
	files("signature of old checksums for openssl", newDir, func(d *directory) { d.take(oldDir, sumsSig, sumsSig) }),
	files("signature of old checksums for cosign", newDir, func(d *directory) { d.take(oldDir, sumsJSON, sumsJSON) }),
	files("no signature of checksums",
		newDir, func(d *directory) { d.remove(sumsSig, sumsJSON); d.put("load-images.sh", []byte("evil")) }),
	files("checksums that list a file twice", newDir, func(d *directory) {
		d.put("load-images.sh", []byte("evil"))
		text := string(get(d.f.t, d.f.w.path(newDir, sums)))
		d.put(sums, []byte(text+sum([]byte("evil"))+"  load-images.sh\n"))
	}),
	files("everything signed by somebody else", "foreign", func(*directory) {}),
	files("statement signed by somebody else", newDir, func(d *directory) { d.take("foreign", statement, statement) }),
	files("checksums signed by somebody else", newDir,
		func(d *directory) { d.take("foreign", sumsJSON, sumsJSON); d.take("foreign", sumsSig, sumsSig) }),
	files("one more statement of somebody else", newDir, func(d *directory) {
		d.take("foreign", statement, "foreign.sigstore.json")
	}),
	files("two keys, one statement", newDir, func(d *directory) {
		d.args = []string{"-key=" + d.f.w.path("keys", "foreign.pub"), "-threshold=2"}
		d.put("load-images-evil.sh", nil)
	}),
	files("two keys, statements of two releases", oldDir, func(d *directory) {
		d.take("foreign", statement, "foreign.sigstore.json")
		d.args = []string{"-key=" + d.f.w.path("keys", "foreign.pub"), "-threshold=2"}
	}),
	files("one key twice", newDir, func(d *directory) {
		d.take(newDir, statement, "copy.sigstore.json")
		d.args = []string{"-key=" + d.f.w.key, "-threshold=2"}
	}),
	resigned("another payload", func(d *directory, text string) string {
		return strings.Replace(text, between(text, `"payload":"`, `"`),
			between(d.statement(oldDir), `"payload":"`, `"`), 1)
	}),
	resigned("another signature", func(d *directory, text string) string {
		return strings.Replace(text, between(text, `"sig":"`, `"`), between(d.statement(oldDir), `"sig":"`, `"`), 1)
	}),
	resigned("two signatures", func(d *directory, text string) string {
		return swap(text,
			`"signatures":[`, `"signatures":[{"sig":"`+between(d.statement("foreign"), `"sig":"`, `"`)+`"},`)
	}),
	resigned("another type of payload", func(d *directory, text string) string {
		return swap(text, "application/vnd.in-toto+json", "text/plain")
	}),
	resigned("no signature", func(d *directory, text string) string {
		return swap(text, `{"sig":"`+between(text, `"sig":"`, `"`)+`"}`, "")
	}),
	resigned("another hint", func(d *directory, text string) string {
		return swap(text, between(text, `"hint":"`, `"`), "evil")
	}),
	resigned("another media type", func(_ *directory, text string) string {
		return swap(text, "bundle.v0.3", "bundle.v0.2")
	}),
}

// beside gives a bundle a statement as a file.
func beside(name, release, from string) mechanism {
	return mechanism{name: name, make: func(f *forger) []forgery {
		d := f.verify("bundle", f.w.path(release, bundle), f.w.path(from, statement))
		d.takes = d.takes[:1]
		return []forgery{d}
	}}
}

func init() {
	statements = append(statements,
		beside("old bundle, new statement", oldDir, newDir),
		beside("new bundle, old statement", newDir, oldDir),
		beside("new bundle, statement of another time", newDir, "again"),
		beside("bundle of somebody else, statement of the release", "foreign", newDir),
		beside("bundle of another product", "hello2", newDir),
	)
}
