package scaffold

// contexts asks for the further contexts that what publishes gives the build of an image.
func (d *Draft) contexts(i image) {
	for _, p := range i.parts {
		for _, b := range p.builds {
			if len(b.contexts) > 0 && b.rank == publishes {
				d.lacks("images["+i.name+"].dockerfile contexts", "%s gives the build of %s further contexts, "+
					"which slipway.yaml has not: %s; put their files into the source, or let docker build it and "+
					"take the image (prebuilt)", b.at, p.from.path, listed(b.contexts))
			}
		}
	}
}
