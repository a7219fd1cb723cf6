package system

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // OpenSSL names certificates by it
	"encoding/asn1"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"unicode/utf16"
)

var errCertificate = errors.New("it is no X.509 certificate")

// nameOf returns the subject of a certificate, or who issued a list of revoked ones.
func nameOf(der []byte, revoked bool) ([]byte, error) {
	var outer, inner asn1.RawValue
	if _, err := asn1.Unmarshal(der, &outer); err != nil || outer.Tag != asn1.TagSequence {
		return nil, errCertificate
	}
	if _, err := asn1.Unmarshal(outer.Bytes, &inner); err != nil || inner.Tag != asn1.TagSequence {
		return nil, errCertificate
	}
	var parts []asn1.RawValue
	for rest := inner.Bytes; len(rest) > 0 && len(parts) < 8; {
		var v asn1.RawValue
		var err error
		if rest, err = asn1.Unmarshal(rest, &v); err != nil {
			return nil, errCertificate
		}
		parts = append(parts, v)
	}
	// version, serial number, signature, issuer, validity, subject; a list has no number
	at := 5
	if revoked {
		at = 2
		if len(parts) > 0 && parts[0].Tag != asn1.TagInteger {
			at--
		}
	} else if len(parts) > 0 && parts[0].Class != asn1.ClassContextSpecific {
		at--
	}
	if len(parts) <= at || parts[at].Tag != asn1.TagSequence {
		return nil, errCertificate
	}
	return parts[at].Bytes, nil
}

// nameHash is X509_NAME_hash of OpenSSL: of the parts of a name in one form.
func nameHash(name []byte) (uint32, error) {
	var all []byte
	for rest := name; len(rest) > 0; {
		var set asn1.RawValue
		var err error
		if rest, err = asn1.Unmarshal(rest, &set); err != nil {
			return 0, errCertificate
		}
		var attributes [][]byte
		for more := set.Bytes; len(more) > 0; {
			var pair asn1.RawValue
			if more, err = asn1.Unmarshal(more, &pair); err != nil {
				return 0, errCertificate
			}
			a, err := canonical(pair.Bytes)
			if err != nil {
				return 0, err
			}
			attributes = append(attributes, a)
		}
		slices.SortFunc(attributes, bytes.Compare)
		b, err := asn1.Marshal(asn1.RawValue{Tag: asn1.TagSet, IsCompound: true, Bytes: bytes.Join(attributes, nil)})
		if err != nil {
			return 0, err
		}
		all = append(all, b...)
	}
	sum := sha1.Sum(all) //nolint:gosec // as OpenSSL names the links
	return binary.LittleEndian.Uint32(sum[:]), nil
}

// canonical returns an attribute of a name with its text in UTF-8 and lower case, and with single
// spaces.
func canonical(pair []byte) ([]byte, error) {
	var id, value asn1.RawValue
	rest, err := asn1.Unmarshal(pair, &id)
	if err != nil {
		return nil, errCertificate
	}
	if _, err := asn1.Unmarshal(rest, &value); err != nil {
		return nil, errCertificate
	}
	if text, ok := stringOf(value); ok {
		value = asn1.RawValue{Tag: asn1.TagUTF8String, Bytes: plainText(text)}
	}
	b, err := asn1.Marshal(value)
	if err != nil {
		return nil, err
	}
	return asn1.Marshal(asn1.RawValue{Tag: asn1.TagSequence, IsCompound: true, Bytes: append(id.FullBytes, b...)})
}

// Tags of strings that package asn1 does not name.
const (
	tagVisibleString   = 26
	tagUniversalString = 28
	tagBMPString       = 30
)

// stringOf returns the text of a value in UTF-8, false for one whose type is none that OpenSSL
// changes.
func stringOf(v asn1.RawValue) (string, bool) {
	if v.Class != asn1.ClassUniversal {
		return "", false
	}
	switch v.Tag {
	case asn1.TagUTF8String:
		return string(v.Bytes), true
	case asn1.TagPrintableString, asn1.TagIA5String, tagVisibleString, asn1.TagT61String:
		var b strings.Builder
		for _, c := range v.Bytes { // Latin-1
			b.WriteRune(rune(c))
		}
		return b.String(), true
	case tagBMPString:
		var units []uint16
		for n := 0; n+1 < len(v.Bytes); n += 2 {
			units = append(units, binary.BigEndian.Uint16(v.Bytes[n:]))
		}
		return string(utf16.Decode(units)), true
	case tagUniversalString:
		var b strings.Builder
		for n := 0; n+3 < len(v.Bytes); n += 4 {
			b.WriteRune(rune(binary.BigEndian.Uint32(v.Bytes[n:]))) //nolint:gosec // an invalid one is replaced
		}
		return b.String(), true
	}
	return "", false
}

// plainText is a text without spaces around it, with single ones in it, and with the letters of
// ASCII in lower case.
func plainText(s string) []byte {
	space := func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
	var b []byte
	for n := range len(s) {
		c := s[n]
		switch {
		case space(c) && (len(b) == 0 || b[len(b)-1] == ' '):
			continue
		case space(c):
			c = ' '
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		}
		b = append(b, c)
	}
	return bytes.TrimRight(b, " ")
}
