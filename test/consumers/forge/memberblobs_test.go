package forge

import "bytes"

// configs are the configuration and layer of hello for Linux, as manifest.json names them.
func (a *archive) configs() (config, layer string) {
	var d struct {
		Config string
		Layers []string
	}
	parse([]byte(a.docker(a.w.hello(newDir))), &d)
	return d.Config, d.Layers[0]
}

// under are the forger's configuration and layer under the names of hello's.
func (a *archive) under() []entry {
	config, layer := a.configs()
	return []entry{file(config, a.w.evil.blobs[2].data), file(layer, a.w.evil.blobs[3].data)}
}

func init() {
	tarMembers = append(tarMembers,
		mechanism{name: "blobs twice, later", tar: func(a *archive) { a.last(a.under()...) }},
		mechanism{name: "blobs twice, earlier", tar: func(a *archive) { a.insert(0, a.under()...) }},
		mechanism{name: "blobs twice, between", tar: func(a *archive) { a.add(a.under()...) }},
		mechanism{name: "layer twice, later", tar: func(a *archive) { a.last(a.under()[1:]...) }},
		mechanism{name: "layer twice, earlier", tar: func(a *archive) { a.add(a.under()[1:]...) }},
		mechanism{name: "layer as a link to another", tar: func(a *archive) {
			_, layer := a.configs()
			a.last(a.w.evil.blobs[3], entry{layer, header(layer, 0, "type=1", "link="+a.w.evil.blobs[3].name), nil})
		}},
		mechanism{name: "layer as a symbolic link", tar: func(a *archive) {
			_, layer := a.configs()
			a.last(a.w.evil.blobs[3],
				entry{layer, header(layer, 0, "type=2", "link="+a.w.evil.blobs[3].name[13:]), nil})
		}},
		mechanism{name: "directory of blobs as a link", tar: func(a *archive) {
			a.insert(0, entry{"blobs", header("blobs", 0, "type=2", "link=other"), nil})
			a.last(a.evil()...)
		}},
		mechanism{name: "directory in place of index.json", tar: func(a *archive) {
			a.last(entry{"index.json", header("index.json", 0, "type=5"), nil})
			a.last(a.evil()...)
		}},
		mechanism{name: "one block of zeros in the middle", tar: func(a *archive) {
			a.add(entry{"", make([]byte, 512), nil})
			a.last(a.evil()...)
		}},
		mechanism{name: "end in the middle", tar: func(a *archive) {
			a.add(entry{"", make([]byte, 1024), nil})
			a.last(a.evil()...)
		}},
		mechanism{name: "end before the end", tar: func(a *archive) {
			a.last(entry{"", make([]byte, 1024), nil})
			a.last(a.evil()...)
		}},
		mechanism{name: "members behind the end", tar: func(a *archive) {
			a.tail = append(tarred(a.evil()), make([]byte, 1024)...)
		}},
		mechanism{name: "members behind one block of the end", tar: func(a *archive) {
			a.end = a.end[:512]
			a.tail = append(tarred(a.evil()), make([]byte, 1024)...)
		}},
		mechanism{name: "members behind ten KiB of zeros", tar: func(a *archive) {
			a.end = make([]byte, 10240)
			a.tail = tarred(a.evil())
		}},
		mechanism{name: "members behind a block that is not zero", tar: func(a *archive) {
			a.tail = append(bytes.Repeat([]byte("x"), 512), tarred(a.evil())...)
		}},
		mechanism{name: "no end", tar: func(a *archive) {
			a.end = nil
			a.last(a.evil()...)
		}},
		mechanism{name: "member that says it is longer", tar: func(a *archive) {
			list := a.evil()
			head := tarred(a.entries[:3])
			a.insert(0, append(list, entry{"", header("cover", len(head)), nil})...)
		}},
		mechanism{name: "member that says it is shorter", tar: func(a *archive) {
			inner := append(make([]byte, 512), tarred(a.evil())...)
			a.add(entry{"cover", header("cover", 512), inner})
		}},
		mechanism{name: "dump directory of GNU", tar: covered("D")},
		mechanism{name: "label of GNU", tar: covered("V")},
		mechanism{name: "content of a type that nobody knows", tar: covered("z")},
		mechanism{name: "second oci-layout", tar: func(a *archive) {
			a.last(append(a.evil(), file("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0","evil":true}`)))...)
		}},
	)
}
