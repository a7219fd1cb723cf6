package bundle

// Archive is a bundle in one of its forms: .tar.zst or .tar.gz.
type Archive struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // in hex
}

// Bytes is the size of the bundle in all its forms.
func (f *File) Bytes() int64 {
	if f.Gzip == nil {
		return f.Size
	}
	return f.Size + f.Gzip.Size
}

// Archives returns the bundle in each of its forms.
func (f *File) Archives() []Archive {
	all := []Archive{{f.Path, f.Size, f.SHA256}}
	if f.Gzip != nil {
		all = append(all, *f.Gzip)
	}
	return all
}
