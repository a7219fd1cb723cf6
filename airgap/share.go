package airgap

import v1 "github.com/google/go-containerregistry/pkg/v1"

// layers are those of all children, each once.
func (i Image) layers() map[v1.Hash]int64 {
	all := map[v1.Hash]int64{}
	for _, c := range i.Children {
		for _, l := range c.Layers {
			all[l.Digest] = l.Size
		}
	}
	return all
}

// size is that of the layers, each once.
func (i Image) size() int64 {
	var n int64
	for _, size := range i.layers() {
		n += size
	}
	return n
}

// share fills in what each of the images of a bundle has in common with others.
func share(images []Image) {
	owners := map[v1.Hash]int{}
	for _, i := range images {
		for h := range i.layers() {
			owners[h]++
		}
	}
	for n := range images {
		images[n].SharedBytes = 0
		for h, size := range images[n].layers() {
			if owners[h] > 1 {
				images[n].SharedBytes += size
			}
		}
	}
}
