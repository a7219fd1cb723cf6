package forge

import (
	"fmt"
	"path/filepath"
	"strings"
)

// swap replaces a text that has to be there once or more often: the first.
func swap(text, from, to string) string {
	if !strings.Contains(text, from) {
		panic("there is no " + from)
	}
	return strings.Replace(text, from, to, 1)
}

// index changes index.json, and adds the forger's blobs where they are metadata.
func index(name string, change func(a *archive, text string) string) mechanism {
	return mechanism{name: "index.json: " + name, tar: func(a *archive) {
		text := change(a, string(a.get("index.json").data))
		a.set("index.json", []byte(text))
		a.add(a.w.evil.blobs...)
	}}
}

// docker changes manifest.json.
func docker(name string, change func(a *archive, text string) string) mechanism {
	return mechanism{name: "manifest.json: " + name, tar: func(a *archive) {
		text := change(a, string(a.get("manifest.json").data))
		a.set("manifest.json", []byte(text))
		a.add(a.w.evil.blobs...)
	}}
}

// manifests are the manifests of index.json with the forger's image, as text.
func (a *archive) manifests(evil bool) string {
	text := string(a.get("index.json").data)
	if evil {
		text = string(a.evilIndex())
	}
	return text[strings.Index(text, `"manifests":[`)+len(`"manifests":`) : strings.LastIndex(text, `],"annotations"`)+1]
}

// second adds a key to index.json, behind all others or before them.
func (a *archive) key(text, key, value string, before bool) string {
	if before {
		return swap(text, "{", "{"+key+":"+value+",")
	}
	return strings.TrimSuffix(text, "}") + "," + key + ":" + value + "}"
}

// keyed adds the forger's list of manifests under a key.
func keyed(name, key string, before bool) mechanism {
	return index(name, func(a *archive, text string) string { return a.key(text, key, a.manifests(true), before) })
}

// descriptor changes the descriptor of hello.
func inDescriptor(name string, change func(a *archive, d string) string) mechanism {
	return index(name, func(a *archive, text string) string {
		d := a.descriptor(a.w.hello(newDir))
		return swap(text, d, change(a, d))
	})
}

// member adds a member to an object.
func member(d, key string, value any, before bool) string {
	return (*archive)(nil).key(d, fmt.Sprintf("%q", key), fmt.Sprint(value), before)
}

func (a *archive) evilDigest() string { return `"sha256:` + a.w.evil.index + `"` }

var jsonKeys = []mechanism{
	keyed("manifests twice, later", `"manifests"`, false),
	keyed("manifests twice, earlier", `"manifests"`, true),
	keyed("Manifests later", `"Manifests"`, false),
	keyed("Manifests earlier", `"Manifests"`, true),
	keyed("MANIFESTS", `"MANIFESTS"`, false),
	keyed("manifests with an escape", `"manifest\u0073"`, false),
	keyed("manifests with an escape earlier", `"\u006danifests"`, true),
	keyed("manifests with a long s", `"manife\u017fts"`, false),
	index("Manifests and no manifests", func(a *archive, text string) string {
		return swap(string(a.evilIndex()), `"manifests"`, `"Manifests"`)
	}),
	inDescriptor("digest twice, later", func(a *archive, d string) string {
		return member(d, "digest", a.evilDigest(), false)
	}),
	inDescriptor("digest twice, earlier", func(a *archive, d string) string {
		return member(d, "digest", a.evilDigest(), true)
	}),
	inDescriptor("Digest", func(a *archive, d string) string { return member(d, "Digest", a.evilDigest(), false) }),
	inDescriptor("size twice", func(a *archive, d string) string {
		return member(member(d, "digest", a.evilDigest(), true), "size", a.w.evil.size, true)
	}),
	inDescriptor("annotations twice", func(a *archive, d string) string {
		return member(d,
			"annotations", fmt.Sprintf(`{"io.containerd.image.name":%q,"org.opencontainers.image.ref.name":%q}`,
				a.w.evilName(), a.w.evilName()), false)
	}),
	inDescriptor("annotations twice, earlier", func(a *archive, d string) string {
		return member(d, "annotations", fmt.Sprintf(`{"io.containerd.image.name":%q}`, a.w.evilName()), true)
	}),
	inDescriptor("Annotations", func(a *archive, d string) string {
		return member(d, "Annotations", fmt.Sprintf(`{"io.containerd.image.name":%q}`, a.w.evilName()), false)
	}),
	inDescriptor("annotation twice, later", func(a *archive, d string) string {
		return swap(d, `"}`, fmt.Sprintf(`","io.containerd.image.name":%q}`, a.w.evilName()))
	}),
	inDescriptor("annotation twice, earlier", func(a *archive, d string) string {
		return swap(d, `"annotations":{`,
			fmt.Sprintf(`"annotations":{"org.opencontainers.image.ref.name":%q,`, a.w.evilName()))
	}),
	inDescriptor("annotation with an escape", func(a *archive, d string) string {
		return swap(d, `"annotations":{`,
			fmt.Sprintf(`"annotations":{"io.containerd.image.nam\u0065":%q,`, a.w.evilName()))
	}),
	inDescriptor("media type twice", func(a *archive, d string) string {
		return member(d, "mediaType", `"application/vnd.oci.image.manifest.v1+json"`, false)
	}),
	index("two values", func(a *archive, text string) string { return text + string(a.evilIndex()) }),
	index("two values, the forger's first", func(a *archive, text string) string {
		return string(a.evilIndex()) + text
	}),
	index("a value behind NUL", func(a *archive, text string) string { return string(a.evilIndex()) + "\x00" + text }),
	index("a byte order mark", func(a *archive, text string) string { return "\ufeff" + string(a.evilIndex()) }),
	index("UTF-16", func(a *archive, text string) string {
		var b strings.Builder
		for _, r := range "\ufeff" + string(a.evilIndex()) {
			b.Write([]byte{byte(r), byte(r >> 8)})
		}
		return b.String()
	}),
	index("a comment", func(a *archive, text string) string { return "/*" + text + "*/" + string(a.evilIndex()) }),
	index("a comma at the end", func(a *archive, _ string) string {
		return strings.TrimSuffix(string(a.evilIndex()), "}") + ",}"
	}),
	index("a byte that is no UTF-8 in a name", func(a *archive, text string) string {
		return strings.ReplaceAll(text, "/hello:"+newDir, "/hello\xff:"+newDir)
	}),
	index("half a surrogate in a name", func(a *archive, text string) string {
		return strings.ReplaceAll(text, "/hello:"+newDir, `/hello\ud800:`+newDir)
	}),
	index("NUL in a name", func(a *archive, text string) string {
		return strings.ReplaceAll(text, "/hello:"+newDir, `/hello\u0000:`+newDir)
	}),
	index("a deep value besides", func(a *archive, text string) string {
		return a.key(a.key(text, `"x"`, strings.Repeat("[", 9000)+strings.Repeat("]", 9000), true),
			`"Manifests"`, a.manifests(true), false)
	}),
	inDescriptor("a size with an exponent", func(a *archive, d string) string {
		return swap(member(d, "Digest", a.evilDigest(), false), `"size":728`, `"size":7.28e2`)
	}),
	inDescriptor("a size with a point", func(a *archive, d string) string {
		return swap(member(d, "Digest", a.evilDigest(), false), `"size":728`, `"size":728.0`)
	}),
	inDescriptor("a size as text", func(a *archive, d string) string {
		return swap(member(d, "Digest", a.evilDigest(), false), `"size":728`, `"size":"728"`)
	}),
	inDescriptor("a size that is huge", func(a *archive, d string) string {
		return swap(member(d, "Digest", a.evilDigest(), false), `"size":728`, `"size":99999999999999999999728`)
	}),
	inDescriptor("null behind a digest", func(a *archive, d string) string {
		return swap(d, `"annotations"`, `"digest":null,"annotations"`) + "," + a.w.evil.descriptor(a.w.hello(newDir))
	}),
}

// inDocker changes hello in manifest.json.
func inDocker(name string, change func(a *archive, d string) string) mechanism {
	return docker(name, func(a *archive, text string) string {
		d := a.docker(a.w.hello(newDir))
		return swap(text, d, change(a, d))
	})
}

func init() {
	config := func(a *archive) string { return `"blobs/sha256/` + a.w.evil.config + `"` }
	layers := func(a *archive) string { return `["blobs/sha256/` + a.w.evil.layer + `"]` }
	for _, before := range []bool{false, true} {
		when := map[bool]string{false: ", later", true: ", earlier"}[before]
		jsonKeys = append(jsonKeys,
			inDocker("Config twice"+when, func(a *archive, d string) string {
				return member(member(d, "Config", config(a), before), "Layers", layers(a), before)
			}),
			inDocker("config"+when, func(a *archive, d string) string {
				return member(member(d, "config", config(a), before), "layers", layers(a), before)
			}),
			inDocker("RepoTags twice"+when, func(a *archive, d string) string {
				return member(d, "RepoTags", fmt.Sprintf("[%q]", a.w.evilName()), before)
			}),
			inDocker("repoTags"+when, func(a *archive, d string) string {
				return member(d, "repoTags", fmt.Sprintf("[%q]", a.w.evilName()), before)
			}),
			inDocker("Layers twice"+when, func(a *archive, d string) string {
				return member(d, "Layers", layers(a), before)
			}),
		)
	}
	jsonKeys = append(jsonKeys,
		docker("two values", func(a *archive, text string) string { return string(a.evilManifest()) + text }),
		docker("a value behind another", func(a *archive, text string) string {
			return text + string(a.evilManifest())
		}),
		docker("a byte order mark", func(a *archive, _ string) string { return "\ufeff" + string(a.evilManifest()) }),
		inDocker("Config with an escape", func(a *archive, d string) string {
			return (*archive)(nil).key(d, `"Confi\u0067"`, config(a), false)
		}),
		mechanism{name: "statement: payload twice", make: statementKeys("payload", false)},
		mechanism{name: "statement: payload twice, earlier", make: statementKeys("payload", true)},
		mechanism{name: "statement: Payload", make: statementKeys("Payload", false)},
		mechanism{name: "statement: envelope twice", make: statementKeys("dsseEnvelope", false)},
		mechanism{name: "statement: DSSEEnvelope", make: statementKeys("DSSEEnvelope", true)},
		mechanism{name: "lock: images twice", make: lockKeys("images")},
		mechanism{name: "lock: Images", make: lockKeys("Images")},
	)
}

// statementKeys adds a key to a signed statement that is given besides a bundle.
func statementKeys(key string, before bool) func(f *forger) []forgery {
	return func(f *forger) []forgery {
		text := string(get(f.t, f.w.path(newDir, "provenance.sigstore.json")))
		old := string(get(f.t, f.w.path(oldDir, "provenance.sigstore.json")))
		payload := between(old, `"payload":"`, `"`)
		if strings.Contains(strings.ToLower(key), "envelope") {
			text = member(strings.TrimSpace(text), key, between(old, `"dsseEnvelope":`, `]}`)+`]}`, before)
		} else {
			at := map[bool]string{true: `"payload":`, false: `"payloadType":`}[before]
			text = swap(text, at, fmt.Sprintf("%q:%q,", key, payload)+at)
		}
		path := filepath.Join(f.dir, "provenance.sigstore.json")
		put(f.t, path, []byte(text))
		d := f.verify("statement", f.w.volume("", 3), path) // third-party images have no statement as a referrer
		d.takes = d.takes[:1]
		d.reads = func(string) map[string]string {
			return map[string]string{"a JSON reader that takes another key": "the statement is of " + oldDir}
		}
		return []forgery{d}
	}
}

// lockKeys adds images to the lock that a bundle is compared with.
func lockKeys(key string) func(f *forger) []forgery {
	return func(f *forger) []forgery {
		text := strings.TrimSpace(string(get(f.t, f.w.path(newDir, "release.lock.json"))))
		path := filepath.Join(f.dir, "release.lock.json")
		put(f.t, path, []byte(member(text, key, "[]", true)))
		d := f.verify("lock", f.w.path(newDir, bundle))
		d.door = append(d.door, "-lock="+path)
		d.reads = func(string) map[string]string {
			return map[string]string{"a JSON reader that takes another key": "the lock has no images"}
		}
		return []forgery{d}
	}
}

func between(text, from, to string) string {
	_, text, ok := strings.Cut(text, from)
	text, _, found := strings.Cut(text, to)
	if !ok || !found {
		panic("there is no " + from)
	}
	return text
}
