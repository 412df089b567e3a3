package org.octofs.client.nio;

import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;

/** Users and groups by number: the cluster knows no names. */
final class OctoPrincipals extends UserPrincipalLookupService {
    /** A user. */
    record User(int id) implements UserPrincipal {
        @Override
        public String getName() {
            return Integer.toUnsignedString(id);
        }
    }

    /** A group. */
    record Group(int id) implements GroupPrincipal {
        @Override
        public String getName() {
            return Integer.toUnsignedString(id);
        }
    }

    @Override
    public UserPrincipal lookupPrincipalByName(String name) throws UserPrincipalNotFoundException {
        return new User(id(name));
    }

    @Override
    public GroupPrincipal lookupPrincipalByGroupName(String group) throws UserPrincipalNotFoundException {
        return new Group(id(group));
    }

    private static int id(String text) throws UserPrincipalNotFoundException {
        try {
            return Integer.parseUnsignedInt(text);
        } catch (NumberFormatException e) {
            UserPrincipalNotFoundException notFound = new UserPrincipalNotFoundException(text);
            notFound.initCause(e);
            throw notFound;
        }
    }
}
